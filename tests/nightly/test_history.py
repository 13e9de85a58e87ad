"""The history on a branch: whole after every night, never rewritten, also when two nights end at once."""

from __future__ import annotations

import os
import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nightly import history
from nightly.errors import NightError

TODAY = datetime.now(UTC)


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True)  # noqa: S607
    return done.stdout


def add_run(store: Path, number: int, days_ago: float = 0, content: str = "{}") -> Path:
    path = store / "m-2c" / f"{number:04d}_nightly_{TODAY - timedelta(days=days_ago):%Y%m%d_%H%M%S}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """A repository without branches."""
    folder = tmp_path / "remote.git"
    folder.mkdir()
    git(folder, "init", "--quiet", "--bare")
    return folder


def names(store: Path) -> list[str]:
    return sorted(path.name[:4] for path in store.glob("*/*.json"))


def saved(remote: Path) -> list[str]:
    listed = git(remote, "ls-tree", "-r", "--name-only", "history").split()
    return sorted(Path(name).name[:4] for name in listed)


def test_a_first_night_finds_no_history_and_begins_one(remote: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    assert history.restore(store, str(remote), "history") == 0

    add_run(store, 1)

    assert history.save(store, str(remote), "history", 30) == 1
    assert saved(remote) == ["0001"]


def test_a_later_night_finds_every_earlier_run(remote: Path, tmp_path: Path) -> None:
    add_run(tmp_path / "one", 1, content='{"a": 1}')
    history.save(tmp_path / "one", str(remote), "history", 30)

    restored = tmp_path / "two"
    restored.mkdir()

    assert history.restore(restored, str(remote), "history") == 1
    assert [path.read_text() for path in restored.glob("*/*.json")] == ['{"a": 1}']


def test_of_two_nights_that_end_at_once_both_are_kept_and_nothing_is_forced(
    remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other night pushes between this one's clone and its push; this one's push is refused and made again."""
    add_run(tmp_path / "first", 1)
    history.save(tmp_path / "first", str(remote), "history", 30)
    add_run(tmp_path / "ours", 2)
    add_run(tmp_path / "theirs", 3)
    before = git(remote, "rev-parse", "history").strip()
    untouched = history.try_git
    pushes = []

    def with_a_rival(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
        if words[0] == "push":
            pushes.append(words)
            if len(pushes) == 1:
                history.save(tmp_path / "theirs", str(remote), "history", 30)
        return untouched(folder, *words)

    monkeypatch.setattr(history, "try_git", with_a_rival)
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    history.save(tmp_path / "ours", str(remote), "history", 30)

    assert saved(remote) == ["0001", "0002", "0003"]
    assert len(pushes) == 3
    assert not any("force" in word or word.startswith("+") for push in pushes for word in push)
    assert before in git(remote, "rev-list", "history").split()


def test_runs_beyond_the_days_to_keep_are_dropped_from_the_branch(remote: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    add_run(store, 1, days_ago=31)
    add_run(store, 2, days_ago=29)
    (store / "m-2c" / "undated.json").write_text("{}")

    history.save(store, str(remote), "history", 30)

    assert saved(remote) == ["0002", "unda"]


def test_saving_what_is_saved_already_adds_no_commit(remote: Path, tmp_path: Path) -> None:
    add_run(tmp_path / "store", 1)
    history.save(tmp_path / "store", str(remote), "history", 30)
    before = git(remote, "rev-parse", "history")

    assert history.save(tmp_path / "store", str(remote), "history", 30) == 0
    assert git(remote, "rev-parse", "history") == before


def test_two_runs_under_one_name_are_both_kept_once(remote: Path, tmp_path: Path) -> None:
    """Two equal machines whose nights began in the same second; the hash is that of the text "2"."""
    first = add_run(tmp_path / "one", 1, content="1")
    second = add_run(tmp_path / "two", 1, content="2")
    history.save(tmp_path / "one", str(remote), "history", 30)

    assert history.save(tmp_path / "two", str(remote), "history", 30) == 1
    assert history.save(tmp_path / "two", str(remote), "history", 30) == 0

    listed = git(remote, "ls-tree", "-r", "--name-only", "history").split()
    assert listed == [f"m-2c/{first.name}", f"m-2c/{second.stem}_d4735e3a.json"]


def test_the_runs_of_a_night_are_those_not_older_than_its_beginning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, begun = tmp_path / "store", tmp_path / "begun"
    for number, seconds in ((1, -10), (2, 0), (3, 10)):
        path = add_run(store, number, content=str(number))
        os.utime(path, (1_700_000_000 + seconds,) * 2)
    begun.touch()
    os.utime(begun, (1_700_000_000,) * 2)

    assert history.main(["pick", str(store), "--since", str(begun), "--to", str(tmp_path / "a" / "b")]) == 0

    assert names(tmp_path / "a" / "b") == ["0002", "0003"]
    assert capsys.readouterr().out == "2 run files of this night\n"


def test_without_a_beginning_no_run_passes_for_one_of_this_night(tmp_path: Path) -> None:
    add_run(tmp_path / "store", 1)

    with pytest.raises(NightError, match="begun: No such file or directory"):
        history.pick(tmp_path / "store", tmp_path / "begun", tmp_path / "to")


def test_a_link_in_the_store_is_not_followed(remote: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text("secret")
    path = add_run(tmp_path / "store", 1)
    (path.parent / "0002_link.json").symlink_to(secret)
    (tmp_path / "store" / "folder").symlink_to(tmp_path)

    assert history.save(tmp_path / "store", str(remote), "history", 30) == 1


def test_a_remote_that_cannot_be_read_is_an_error_not_an_empty_history(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(NightError, match="cannot be read"):
        history.main(["restore", str(tmp_path / "store"), "--remote", str(tmp_path / "nowhere"), "--branch", "h"])
    assert capsys.readouterr().out == ""
