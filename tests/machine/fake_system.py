"""Made-up /proc, /sys and /etc below a temporary folder."""

from pathlib import Path

PLAIN_EPYC = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC 7B13 64-Core Processor\n"
MEMORY_24_GIB = 25_276_502_016  # what Linux reports of 24 GiB


def write_system(root: Path, files: dict[str, str], links: dict[str, str] | None = None) -> Path:
    """Write texts and symbolic links by their path below `root`, and return `root`."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name, target in (links or {}).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
    return root
