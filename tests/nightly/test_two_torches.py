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
    assert launches[0].endswith(
        f"-m pytest benchmarks --benchmark-quiet --benchmark-storage={tmp_path / 'a'} --devices cpu"
    )
    assert run.commands[-1].endswith(f"-m reports compare {tmp_path / 'a'} {tmp_path / 'b'}")


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
