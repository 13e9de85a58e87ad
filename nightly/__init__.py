"""What a scheduler needs around a night: its history kept, its end told, its regressions tracked as issues.

Each module is a command that runs by hand, with nothing but Python's own library: `python -m nightly.history`,
`python -m nightly.conclude`, `python -m nightly.issues`.
"""
