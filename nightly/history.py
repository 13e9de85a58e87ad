"""Keep a store's history on a branch: `python -m nightly.history restore|save STORE --remote URL --branch NAME`.

The branch holds the run files alone. It only ever grows by commits on top: when another night was faster, this one's
files are put on top of that night's and pushed again, never by force. Two runs under one name are both kept, the later
one with a part of its content's hash in its name. `prune STORE --keep-days N` drops old run files; `save` does so too.
`pick STORE --since FILE --to FOLDER` copies the runs that are not older than a file.
"""

import argparse
import hashlib
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nightly.errors import NightError, in_one_line

TRIES = 6
NO_SUCH_BRANCH = 2
"""What `git ls-remote --exit-code` answers then."""
AUTHOR = ("-c", "user.name=training benchmarks", "-c", "user.email=training-benchmarks@localhost")
_STAMP = re.compile(r"_(\d{8}_\d{6})")


def main(words: list[str]) -> int:
    """Do what the command line asks for and say what was done."""
    arguments = _parser().parse_args(words)
    arguments.store.mkdir(parents=True, exist_ok=True)
    if arguments.does == "prune":
        return _say(f"{prune(arguments.store, arguments.keep_days)} old run files dropped")
    if arguments.does == "pick":
        return _say(f"{pick(arguments.store, arguments.since, arguments.to)} run files of this night")
    if arguments.does == "restore":
        return _say(f"{restore(arguments.store, arguments.remote, arguments.branch)} run files restored")
    added = save(arguments.store, arguments.remote, arguments.branch, arguments.keep_days)
    return _say(f"{added} run files added to {arguments.branch}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m nightly.history", description="Keep a store's history.")
    parser.add_argument("does", choices=("restore", "save", "prune", "pick"))
    parser.add_argument("store", type=Path, help="folder of run files")
    parser.add_argument(
        "--remote", type=_place, default=_place("."), help="URL or folder of a git repository (default: this folder)"
    )
    parser.add_argument("--branch", default="benchmark-history", help="default: %(default)s")
    parser.add_argument("--keep-days", type=_days, default=400, metavar="N", help="default: %(default)s")
    parser.add_argument("--since", type=Path, default=Path("begun"), metavar="FILE", help="made as the night began")
    parser.add_argument("--to", type=Path, default=Path("tonight"), metavar="FOLDER", help="default: %(default)s")
    return parser


def restore(store: Path, remote: str, branch: str) -> int:
    """Copy the branch's run files into the store and return how many there are; 0 where there is no such branch.

    Raises:
        NightError: the remote cannot be read; a night must not run on an empty history by mistake.
    """
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder)
        if not _clone(checkout, remote, branch):
            return 0
        return _copy_new(checkout, store)


def save(store: Path, remote: str, branch: str, keep_days: int) -> int:
    """Put the store's new run files on the branch, drop its old ones, and return how many are new.

    Raises:
        NightError: the remote refuses, or other nights were faster `TRIES` times.
    """
    for attempt in range(TRIES):
        with tempfile.TemporaryDirectory() as folder:
            checkout = Path(folder)
            if not _clone(checkout, remote, branch):
                _git(checkout, "init", "--quiet", f"--initial-branch={branch}")
            added = _copy_new(store, checkout)
            dropped = prune(checkout, keep_days)
            if not added and not dropped:
                return 0
            _git(checkout, "add", "--all")
            _git(checkout, *AUTHOR, "commit", "--quiet", "-m", f"Add {added} runs, drop {dropped}")
            pushed = try_git(checkout, "push", "--quiet", remote, f"HEAD:refs/heads/{branch}")
            if pushed.returncode == 0:
                return added
            said = _last_line(pushed.stderr)
        time.sleep(min(2**attempt, 10) * (0.5 + secrets.randbelow(100) / 100) if attempt + 1 < TRIES else 0)
    raise NightError(f"{branch} could not be pushed, tried {TRIES} times: {said}")


def prune(store: Path, keep_days: int) -> int:
    """Drop run files whose name tells that they are older, and return how many; others are kept."""
    oldest = datetime.now(UTC) - timedelta(days=keep_days)
    old = [path for path in _run_files(store) if (stamp := _stamp(path)) is not None and stamp < oldest]
    for path in old:
        path.unlink()
    return len(old)


def pick(store: Path, since: Path, target: Path) -> int:
    """Copy the run files that are not older than a file into a folder, and return how many they are.

    Raises:
        NightError: there is no such file; without it, every run would pass for one of this night.
    """
    try:
        begun_ns = since.stat().st_mtime_ns
    except OSError as error:
        raise NightError(f"{since}: {error.strerror}") from error
    target.mkdir(parents=True, exist_ok=True)
    return _copy_new(store, target, since_ns=begun_ns)


def _run_files(folder: Path) -> Iterator[Path]:
    """Yield the run files, in the folder and in those of the machine classes; never through a link."""
    for path in sorted([*folder.glob("*.json"), *folder.glob("*/*.json")]):
        if path.is_file() and not path.is_symlink() and not path.parent.is_symlink():
            yield path


def _copy_new(source: Path, target: Path, since_ns: int = 0) -> int:
    """Copy run files that the target lacks; one whose name is taken by another run gets a name of its own."""
    copied = 0
    for path in _run_files(source):
        content = path.read_bytes()
        place = target / path.relative_to(source)
        if place.exists() and place.read_bytes() != content:
            place = place.with_stem(f"{place.stem}_{hashlib.sha256(content).hexdigest()[:8]}")
        if place.exists() or path.stat().st_mtime_ns < since_ns:
            continue
        place.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, place)
        copied += 1
    return copied


def _clone(checkout: Path, remote: str, branch: str) -> bool:
    """Check the branch's newest state out; false where there is no such branch."""
    asked = try_git(Path.cwd(), "ls-remote", "--exit-code", "--heads", remote, f"refs/heads/{branch}")
    if asked.returncode == NO_SUCH_BRANCH:
        return False
    if asked.returncode != 0:
        raise NightError(f"{remote} cannot be read: {_last_line(asked.stderr)}")
    _git(Path.cwd(), "clone", "--quiet", "--depth=1", f"--branch={branch}", "--", remote, str(checkout))
    return True


def _git(folder: Path, *words: str) -> None:
    done = try_git(folder, *words)
    if done.returncode != 0:
        raise NightError(f"git {words[0]}: {_last_line(done.stderr)}")


def try_git(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run git in a folder, without a shell, and return how it ended."""
    return subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=False)  # noqa: S603, S607  git as the PATH has it, no shell


def _stamp(path: Path) -> datetime | None:
    found = _STAMP.search(path.name)
    try:
        return datetime.strptime(found[1], "%Y%m%d_%H%M%S").replace(tzinfo=UTC) if found else None
    except ValueError:
        return None


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no message"])[-1]


def _say(words: str) -> int:
    sys.stdout.write(f"{words}\n")
    return 0


def _place(remote: str) -> str:
    """Return a folder by its whole path, since git is started elsewhere, and a URL as it is."""
    return str(Path(remote).resolve()) if Path(remote).exists() else remote


def _days(text: str) -> int:
    days = int(text)
    if days < 1:
        raise ValueError(text)
    return days


_days.__name__ = "number of days"

if __name__ == "__main__":
    sys.exit(in_one_line(lambda: main(sys.argv[1:]), "nightly.history"))
