"""The live display, as text."""

from __future__ import annotations

import pytest

from fixtures.display import REWRITE, Display, duration, seconds, summary
from fixtures.outcomes import Outcome

PASSED = Outcome("passed")


@pytest.mark.parametrize(
    ("time_s", "text"),
    [(233.4e-6, "233 µs"), (1.5, "1.5 s"), (0.0279, "27.9 ms"), (58e-9, "58 ns"), (0.5e-9, "0.5 ns"), (1e-3, "1 ms")],
)
def test_times_have_three_figures_in_a_unit_that_suits_them(time_s: float, text: str) -> None:
    assert seconds(time_s) == text


@pytest.mark.parametrize(
    ("time_s", "text"), [(0.4, "0 s"), (89.0, "89 s"), (90.0, "2 min"), (3540.0, "59 min"), (7500.0, "2 h 05 min")]
)
def test_waiting_times_are_rounded(time_s: float, text: str) -> None:
    assert duration(time_s) == text


@pytest.mark.parametrize(
    ("times_s", "target", "text"),
    [
        ([], None, "measured"),
        ([0.002], None, "2 ms, 1 round"),
        ([0.002] * 4, None, "2 ms ±0 %, 4 rounds"),
        ([0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3], 0.01, "1.1 s ±11 % (target ±1 %), 9 rounds"),
    ],
)
def test_a_summary_says_the_median_and_how_well_it_is_known(
    times_s: list[float], target: float | None, text: str
) -> None:
    assert summary(times_s, target) == text


def shown(*, live: bool) -> tuple[Display, list[str], list[float]]:
    """A display of three cases, what it wrote, and its clock's hand."""
    wrote: list[str] = []
    hand = [0.0]
    return Display(total=3, write=wrote.append, live=live, now=lambda: hand[0]), wrote, hand


def test_without_a_terminal_each_case_is_one_plain_line() -> None:
    display, wrote, hand = shown(live=False)

    display.begin("cpu-a")
    display.update([0.002])
    hand[0] = 10.0
    display.end(PASSED)
    display.begin("cpu-b")
    display.end(Outcome("skipped", "no GPU"))
    display.begin("cpu-c")
    display.end(Outcome("failed", "did not train"))

    assert wrote == [
        "[1/3] cpu-a passed: 2 ms, 1 round, 20 s left\n",
        "[2/3] cpu-b skipped: no GPU, 10 s left\n",
        "[3/3] cpu-c failed: did not train\n",
    ]


def test_on_a_terminal_the_line_of_the_running_case_is_rewritten_ten_times_a_second() -> None:
    display, wrote, hand = shown(live=True)

    display.begin("cpu-a")
    for hand[0] in (0.05, 0.1, 0.15, 0.25):
        display.update([0.002])
    display.end(PASSED)

    assert wrote == [
        f"{REWRITE}[1/3] cpu-a ",
        f"{REWRITE}[1/3] cpu-a 2 ms, 1 round",
        f"{REWRITE}[1/3] cpu-a 2 ms, 1 round",
        f"{REWRITE}[1/3] cpu-a passed: 2 ms, 1 round, 0 s left\n",
    ]


def test_a_line_that_is_rewritten_never_wraps() -> None:
    """Only the last line of what wrapped could be erased, and every update would leave a copy of the rest."""
    display, wrote, _ = shown(live=True)
    display.columns = lambda: 20

    display.begin("cpu-iris-mlp-batch120-logeach")
    display.end(PASSED)

    assert wrote[0] == f"{REWRITE}[1/3] cpu-iris-mlp-"
    assert "cpu-iris-mlp-batch120-logeach passed" in wrote[1]


CASES = """
    import pytest
    from fixtures.timing import Plan, timed_rounds

    @pytest.mark.parametrize("word", ["a", "b"])
    def test_case(benchmark, word):
        if word == "b":
            pytest.skip("no GPU")
        timed_rounds(benchmark, list, Plan(10, 4, "budget"))

    def test_other():
        pass
"""
PLUGINS = [part for name in ("options", "selection", "timing", "display") for part in ("-p", f"fixtures.{name}")]


def test_cases_get_lines_instead_of_letters(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(CASES)

    result = pytester.runpytest_inprocess(*PLUGINS, "-p", "no:cacheprovider", "--benchmark-quiet", "-rs")

    lines = [
        "[[]1/2] a passed: measured, * left",
        "[[]2/2] b skipped: no GPU",
        "SKIPPED [[]1]*",
        "*2 passed, 1 skipped*",
    ]
    result.stdout.fnmatch_lines(lines)
    result.stdout.no_fnmatch_line("*.py .s*")
    result.stdout.no_fnmatch_line("*100%*")


@pytest.mark.parametrize("option", ["-q", "-v"])
def test_quiet_and_verbose_runs_keep_pytests_own_lines(pytester: pytest.Pytester, option: str) -> None:
    pytester.makepyfile(CASES)

    result = pytester.runpytest_inprocess(*PLUGINS, "-p", "no:cacheprovider", "--benchmark-quiet", option)

    result.stdout.no_fnmatch_line("*[[]1/2]*")
