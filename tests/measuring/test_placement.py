"""A case's device: skipped with what is missing, failed where required, refused without its clock."""

from __future__ import annotations

import pytest

CASES = """
    import time
    import pytest
    from training.devices import DEVICES

    def on(name, **marks):
        return pytest.param(name, marks=pytest.mark.benchmark(**{"timer": DEVICES[name].clock} | marks))

    @pytest.mark.parametrize("device", [on("cpu"), on("cuda")])
    def test_case(placement, benchmark):
        benchmark.pedantic(len, args=("",))
        assert placement.name == "cpu"
"""


def run(pytester: pytest.Pytester, body: str, *options: str) -> pytest.RunResult:
    pytester.makepyfile(body)
    plugins = ("fixtures.options", "fixtures.selection", "fixtures.devices")
    names = [part for plugin in plugins for part in ("-p", plugin)]
    return pytester.runpytest_inprocess(*names, "-p", "no:cacheprovider", "-rsfE", "--benchmark-quiet", *options)


@pytest.fixture
def no_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.accelerator.current_accelerator", lambda check_available=False: None)


@pytest.mark.usefixtures("no_accelerator")
def test_an_absent_device_skips_its_cases_with_what_is_missing(pytester: pytest.Pytester) -> None:
    result = run(pytester, CASES)

    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED*cuda: torch *"])


@pytest.mark.usefixtures("no_accelerator")
def test_an_absent_device_that_was_required_fails_its_cases(pytester: pytest.Pytester) -> None:
    result = run(pytester, CASES, "--require-device", "cuda")

    result.assert_outcomes(passed=1, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*required device is absent: cuda: torch *"])


def test_a_case_whose_nearest_mark_lost_the_clock_is_refused(pytester: pytest.Pytester) -> None:
    """A mark of its own on the parameter hides the device's, as a group on the function would."""
    body = CASES.replace('on("cpu"), on("cuda")', 'on("cpu", timer=time.monotonic)')

    result = run(pytester, body)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*the clock of cpu was lost: its nearest benchmark mark has the timer monotonic, not perf_counter*"]
    )


def test_a_case_without_any_mark_is_refused(pytester: pytest.Pytester) -> None:
    body = """
    import pytest

    @pytest.mark.benchmark(group="training")
    @pytest.mark.parametrize("device", ["cpu"])
    def test_case(placement, benchmark):
        benchmark.pedantic(len, args=("",))
"""

    result = run(pytester, body)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the clock of cpu was lost: its nearest benchmark mark has the timer none*"])


def test_a_device_forgets_the_memory_of_earlier_cases_before_a_case_builds_anything(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Emptied between warm-up and rounds, the cache would have to be filled anew inside the first round."""
    calls: list[str] = []
    monkeypatch.setattr("training.devices.Device.forget_memory", lambda device: calls.append(device.name))

    run(pytester, CASES.replace(', on("cuda")', ""))

    assert calls == ["cpu"]
