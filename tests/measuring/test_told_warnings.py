"""Warnings: told of cases and failing none, unless the command line makes errors of them."""

from __future__ import annotations

import pytest

CASES = """
    import warnings

    def test_case(benchmark):
        benchmark.pedantic(warnings.warn, args=("TF32 is at hand but not enabled",))

    def test_of_the_suite_itself():
        warnings.warn("a name will change")
"""
INI = "[pytest]\nfilterwarnings = error"
PLUGINS = [part for name in ("options", "selection", "told_warnings") for part in ("-p", f"fixtures.{name}")]


@pytest.mark.parametrize(("options", "passed"), [((), 1), (("-W", "error"), 0)])
def test_a_case_may_warn_and_a_test_may_not(pytester: pytest.Pytester, options: tuple[str, ...], passed: int) -> None:
    pytester.makepyfile(CASES)
    pytester.makeini(INI)

    result = pytester.runpytest_inprocess(*PLUGINS, "-p", "no:cacheprovider", "--benchmark-quiet", *options)

    result.assert_outcomes(passed=passed, failed=2 - passed, warnings=passed)
    assert ("TF32 is at hand but not enabled" in result.stdout.str().partition("warnings summary")[2]) == bool(passed)
