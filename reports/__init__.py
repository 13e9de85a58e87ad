"""What saved benchmark runs mean: any pytest-benchmark JSON in, tables and verdicts out.

`load_runs` and `judge` are the two calls for a notebook. They are found on first use, so that importing this package
alone costs nothing; nothing here imports torch or pytest.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reports.judging import judge
    from reports.runs import load_runs

__all__ = ["judge", "load_runs"]


def __getattr__(name: str) -> Any:  # noqa: ANN401  the two functions have nothing in common but this
    if name == "load_runs":
        from reports.runs import load_runs  # noqa: PLC0415  pandas only when it is used

        return load_runs
    if name == "judge":
        from reports.judging import judge  # noqa: PLC0415  pandas only when it is used

        return judge
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
