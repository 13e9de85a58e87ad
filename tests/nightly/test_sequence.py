"""A row of nights, run as a scheduler runs them: when a night is green, when it is red, and what it says."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.nightly.made_nights import Night, Nights

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow
REQUIRED = ("--require-device", "cuda")
SLOWER = {"two": 1.3}


@pytest.fixture(scope="module")
def six_nights(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Night]]:
    """A project after six steady nights, and how each of them ended."""
    folder = tmp_path_factory.mktemp("six")
    nights = Nights(folder)
    return folder, [nights.run(*REQUIRED) for _ in range(6)]


@pytest.fixture
def seventh(six_nights: tuple[Path, list[Night]], tmp_path: Path) -> Nights:
    """The project on its seventh night, apart from all others."""
    folder = tmp_path / "project"
    shutil.copytree(six_nights[0], folder)
    return Nights(folder)


def test_nights_are_green_while_history_is_short_and_the_first_line_says_so(
    six_nights: tuple[Path, list[Night]],
) -> None:
    for number, night in enumerate(six_nights[1][:5]):
        assert night.code == 0, night.log
        assert f"{number} earlier session" in night.headline
        assert "not enough history" in night.headline.lower()


def test_a_steady_night_with_history_is_green(six_nights: tuple[Path, list[Night]]) -> None:
    sixth = six_nights[1][5]

    assert sixth.code == 0, sixth.log
    assert sixth.headline == "Nothing got slower."
    assert sixth.verdicts["cpu-two"] == "unchanged"


def test_a_slower_case_turns_its_first_night_red_confirmed_by_three_reruns(seventh: Nights) -> None:
    night = seventh.run(*REQUIRED, slower=SLOWER)

    assert night.code == 1, night.log
    assert "REGRESSION" in night.log.splitlines()[-1]
    assert "two" in night.headline
    assert {case: word for case, word in night.verdicts.items() if word != "unchanged"} == {
        "cpu-two": "regression",
        "cuda-two": "regression",
    }
    assert len(seventh.files("rerun")) == 3


def test_a_regression_that_stays_is_told_but_no_longer_red(seventh: Nights) -> None:
    seventh.run(*REQUIRED, slower=SLOWER)
    night = seventh.run(*REQUIRED, slower=SLOWER)

    assert night.code == 0, night.log
    assert night.verdicts["cpu-two"] == "regression"
    assert "still open" in night.headline


def test_a_night_without_the_required_device_is_red_in_other_words(seventh: Nights) -> None:
    night = seventh.run(*REQUIRED, has_cuda=False)

    assert night.code == 1, night.log
    assert "CASES FAILED" in night.log.splitlines()[-1]
    assert night.verdicts["cuda-two"] == "failed"
    assert night.verdicts["cpu-two"] == "unchanged"


def test_without_any_case_of_the_machine_measured_there_is_no_verdict(seventh: Nights) -> None:
    night = seventh.run(*REQUIRED, "--devices", "cuda", has_cuda=False)

    assert night.code == 2, night.log
    assert "NO VERDICT" in night.log.splitlines()[-1]


def test_an_accepted_level_is_green_again(seventh: Nights) -> None:
    seventh.run(*REQUIRED, slower=SLOWER)
    code, said = seventh.command("reports", "accept", "*two*", "--reason", "a bigger batch is worth it")
    assert code == 0, said

    night = seventh.run(*REQUIRED, "--fail-on", "open", slower=SLOWER)

    assert night.code == 0, night.log
    assert (seventh.folder / "accepted.toml").exists()
    assert "regression" not in night.verdicts.values()
