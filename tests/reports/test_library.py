"""`docs/reports.md` as a notebook would run it, on a made store."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.reports.made_runs import Store, made_benchmark

PAGE = Path(__file__).parents[2] / "docs" / "reports.md"


def test_the_pages_lines_run_and_find_what_got_slower(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for night in range(8):
        store.write([made_benchmark("cpu-a", 0.004 * (1.5 if night > 5 else 1.0)), made_benchmark("cpu-b", 0.002)])
    monkeypatch.chdir(store.folder.parent)
    (lines,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}

    exec(lines, names)  # noqa: S102  the page's own lines

    assert len(names["runs"].cases) == 16
    assert names["runs"].skipped.empty
    (row,) = names["slower"].to_dict("records")
    assert (row["fullname"].endswith("[cpu-a]"), row["verdict"]) == (True, "regression")
    assert row["ratio"] == pytest.approx(1.5)
    assert "night-07" in capsys.readouterr().out
