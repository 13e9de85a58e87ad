"""What stops a command, said in one line."""


class ReportError(Exception):
    """A command cannot do what was asked; its text is one line for a person, and the exit code is 2."""


class DamagedFileError(Exception):
    """A file cannot be used as a run; its text says why and does not repeat the file's name."""
