"""Files written whole or not at all."""

import tempfile
from pathlib import Path


def write_whole(path: Path, content: str) -> None:
    """Write to a temporary file beside it, then rename: a reader sees the old file or the new one, never a half."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="\n", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as stream:
        temporary = Path(stream.name)
        try:
            stream.write(content)
            stream.flush()
            temporary.chmod(0o644)
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
