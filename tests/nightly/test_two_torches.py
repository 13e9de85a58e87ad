"""Two torch requirements: set up, launched in turn, compared; the commands alone, nothing is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks import ab

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

WORDS = ["torch==2.13.*", "torch==2.14.*", "--launches", "3", "--devices", "cpu"]


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.ab.venv.create", lambda path, with_pip: path.mkdir(parents=True))


class Runner:
    """Notes every command, and answers with the code of the first rule whose word is in it."""

    def __init__(self, **codes: int) -> None:
        self.commands: list[str] = []
        self._codes = codes

    def __call__(self, command: Sequence[str]) -> int:
        self.commands.append(" ".join(command))
        return next((code for word, code in self._codes.items() if word in command), 0)


def test_both_are_installed_then_launched_in_turn_then_compared(tmp_path: Path) -> None:
    run = Runner(compare=1)

    assert ab.main([*WORDS, "--folder", str(tmp_path)], run) == 1

    installs = [command for command in run.commands if "--group suite" in command]
    assert [command.split()[-1] for command in installs] == ["torch==2.13.*", "torch==2.14.*"]
    launches = [command for command in run.commands if " pytest " in command]
    assert [command.split("environment-")[1][0] for command in launches] == list("abbaab")
    runs = launches[0].split("--benchmark-storage=")[1].split()[0].removesuffix("/a")
    assert launches[0].endswith(f"-m pytest benchmarks --benchmark-quiet --benchmark-storage={runs}/a --devices cpu")
    assert run.commands[-1].endswith(f"-m reports compare {runs}/a {runs}/b")


def test_what_an_earlier_comparison_measured_is_not_mixed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environments are kept; their runs may have been of other releases."""
    run = Runner()
    for time in ("20260304T050607Z", "20260304T060607Z"):
        monkeypatch.setattr("benchmarks.ab.started", lambda time=time: time)
        ab.main([*WORDS, "--folder", str(tmp_path)], run)

    compared = [command.split(" compare ")[1] for command in run.commands if " compare " in command]
    assert compared == [
        f"{tmp_path}/runs-{time}/a {tmp_path}/runs-{time}/b" for time in ("20260304T050607Z", "20260304T060607Z")
    ]


def test_an_environment_that_cannot_be_made_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(path: Path, with_pip: bool) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("benchmarks.ab.venv.create", refuse)

    assert ab.main([*WORDS, "--folder", str(tmp_path)], Runner()) == 2
    assert capsys.readouterr().err.startswith(
        f"benchmarks.ab: NOT MEASURED: no environment in {tmp_path}/environment-a"
    )


@pytest.mark.parametrize(
    ("codes", "ended", "last"),
    [
        ({"--upgrade": 1}, 2, "pip install"),
        ({"torch==2.14.*": 1}, 2, "torch==2.14.*"),
        ({"pytest": 4}, 4, "--devices cpu"),
        ({"pytest": 1}, 1, "reports compare"),  # the others are compared, but a case that failed is not green
        ({"pytest": 1, "compare": 2}, 2, "reports compare"),
    ],
)
def test_what_cannot_be_installed_or_launched_ends_the_job(
    tmp_path: Path, codes: dict[str, int], ended: int, last: str
) -> None:
    run = Runner(**codes)

    assert ab.main([*WORDS, "--folder", str(tmp_path)], run) == ended
    assert last in run.commands[-1]


@pytest.mark.parametrize(("launches", "sides"), [(1, "ab"), (2, "abba"), (3, "abbaab")])
def test_neither_side_is_always_first(launches: int, sides: str) -> None:
    assert "".join(ab.order(launches)) == sides


@pytest.mark.parametrize("words", [["torch==2.13.*"], [*WORDS[:2], "--launches", "0"], [*WORDS[:2], "--launches", "x"]])
def test_wrong_words_are_one_line_and_exit_code_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        ab.main(words, Runner())

    assert ended.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("python -m benchmarks.ab: error:")
