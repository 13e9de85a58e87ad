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


@pytest.mark.parametrize(
    ("folder", "options", "passed"), [("benchmarks", (), 1), ("benchmarks", ("-W", "error"), 0), ("tests", (), 0)]
)
def test_what_is_imported_for_the_cases_may_warn_too(
    pytester: pytest.Pytester, folder: str, options: tuple[str, ...], passed: int
) -> None:
    """A library's deprecation would otherwise end the run before anything is measured."""
    path = pytester.mkdir(folder) / "test_it.py"
    path.write_text(
        "import warnings\nwarnings.warn('a name will change')\ndef test_case(benchmark):\n    benchmark(len, ())"
    )
    pytester.makeini(INI)

    result = pytester.runpytest_inprocess(*PLUGINS, "-p", "no:cacheprovider", "--benchmark-quiet", folder, *options)

    result.assert_outcomes(passed=passed, errors=1 - passed, warnings=passed)
