"""The page as a reader has it, in a headless Chromium: nothing complains, and everything that can be used works."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reports import judge, load_runs
from reports.browser import HOW_TO_INSTALL, Browser, browser, find_chromium
from reports.rendering import html
from reports.report import report_of
from tests.reports.made_runs import Store

pytestmark = [pytest.mark.slow, pytest.mark.skipif(find_chromium() is None, reason=HOW_TO_INSTALL)]
HOSTILE = """</script><script>alert(1)</script><img src=x onerror=alert(1)>"'"""
CONTRAST = """(() => {
  const levels = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(Number).map(part => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const light = colour => { const [r, g, b] = levels(colour); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = element => {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (colour !== "rgba(0, 0, 0, 0)") return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const weak = [];
  const texts = "h1, h2, p, th, td, caption, a, summary, button, label, output, code, text";
  for (const element of document.querySelectorAll(texts)) {
    const style = getComputedStyle(element);
    const ink = element.tagName === "text" ? style.fill : style.color;
    const two = [light(ink), light(ground(element))].sort((a, b) => b - a);
    const ratio = (two[0] + 0.05) / (two[1] + 0.05);
    if (ratio < 4.5) weak.push(`${element.tagName} ${element.textContent.trim().slice(0, 20)} ${ratio.toFixed(2)}`);
  }
  return weak;
})()"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty cases over twelve nights: one slower for two nights, one failed, one of a hostile name."""
    folder = tmp_path_factory.mktemp("page")
    store = Store(folder / ".benchmarks")
    for night in range(12):
        times = {
            f"cpu-m{case:02}-batch8-nolog": 10.0 ** -(case % 8) * (1 + 0.001 * ((night * 7 + case) % 5))
            for case in range(28)
        }
        times["cpu-m00-batch8-nolog"] *= 1.3 if night > 9 else 1
        times[HOSTILE] = 1.0
        failed = {"b.py::bench_training[cuda-m01-batch8-nolog]": {"outcome": "skipped", "reason": HOSTILE}}
        store.add(times, cases=failed, environment={"torch": "2.14" if night < 6 else "2.15", "x": HOSTILE})
    runs = load_runs(store.folder)
    (folder / "index.html").write_text(html.render(report_of(runs, judge(runs), "new")), encoding="utf-8")
    return folder / "index.html"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture
def shown(chromium: Browser, page: Path) -> Browser:
    chromium.open(page, 1200, 900)
    return chromium


def value(shown: Browser, expression: str) -> Any:  # noqa: ANN401
    return shown.evaluate(expression)


def test_nothing_complains_and_nothing_is_asked_for(shown: Browser, page: Path) -> None:
    value(shown, "document.querySelectorAll('.grow').forEach(button => button.click())")

    assert shown.complaints == []
    assert shown.requests == [page.as_uri()]


def test_a_script_that_is_not_ours_does_not_run(shown: Browser) -> None:
    value(
        shown, "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.bad = 1'}))"
    )

    assert value(shown, "window.bad === undefined")
    assert any("Content Security Policy" in complaint for complaint in shown.complaints)


def test_every_table_has_a_caption_and_headers(shown: Browser) -> None:
    assert value(shown, "document.querySelectorAll('table').length") >= 3
    bare = "[...document.querySelectorAll('table')].filter(t => !t.caption || !t.querySelector('thead th[scope=col]'))"
    assert value(shown, f"{bare}.length") == 0


def test_the_filter_keeps_the_rows_with_every_word(shown: Browser) -> None:
    told = value(
        shown,
        """(() => {
          const table = document.querySelector("#cases table"), bar = table.closest(".scroll").previousElementSibling;
          const input = bar.querySelector("input");
          input.value = "M01 batch8 cpu";
          input.dispatchEvent(new Event("input"));
          const rows = [...table.tBodies[0].rows].filter(row => !row.hidden);
          return [rows.map(row => row.cells[0].textContent.trim()), bar.querySelector("output").textContent];
        })()""",
    )

    assert told == [["cpu-m01-batch8-nolog"], "1 of 30"]


def test_the_choice_of_a_verdict_keeps_its_rows(shown: Browser) -> None:
    told = value(
        shown,
        """(() => {
          const table = document.querySelector("#cases table"), bar = table.closest(".scroll").previousElementSibling;
          const choice = bar.querySelector("select");
          choice.value = "regression";
          choice.dispatchEvent(new Event("change"));
          return [...table.tBodies[0].rows].filter(row => !row.hidden).map(row => row.cells[0].textContent.trim());
        })()""",
    )

    assert told == ["cpu-m00-batch8-nolog"]


def test_times_sort_by_their_size_not_their_text(shown: Browser) -> None:
    told = value(
        shown,
        """(() => {
          const table = document.querySelector("#cases table");
          const column = [...table.tHead.rows[0].cells].findIndex(cell => cell.textContent.startsWith("time"));
          table.tHead.rows[0].cells[column].click();
          return [...table.tBodies[0].rows].map(row => row.cells[column].textContent.trim().split(" ")[1]);
        })()""",
    )

    units = [unit for unit in told if unit]
    assert units == sorted(units, key=["ns", "µs", "ms", "s"].index)
    assert len(set(units)) >= 3


def test_a_click_draws_the_history_and_another_one_takes_it_away(shown: Browser) -> None:
    first = value(
        shown,
        """(() => {
          const button = document.querySelector("#changes .grow");
          button.click();
          const chart = document.querySelector(".chart");
          return [button.getAttribute("aria-expanded"), chart.querySelectorAll("canvas").length,
                  chart.getAttribute("aria-label"), chart.querySelector(".reading").textContent];
        })()""",
    )

    assert first[:2] == ["true", 1]
    assert "▲ slower since 2026-" in first[2]
    assert "1.30 s" in first[3] or "1.3 s" in first[3]
    assert "torch 2.15" in first[3]
    assert value(shown, "document.querySelector('.grow').click(), document.querySelectorAll('canvas').length") == 0


def test_the_arrow_keys_read_the_sessions_one_by_one(shown: Browser) -> None:
    told = value(
        shown,
        """(() => {
          document.querySelector("#changes .grow").click();
          const chart = document.querySelector(".chart");
          for (let times = 0; times < 5; times++) {
            chart.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowLeft"}));
          }
          return new Promise(done => requestAnimationFrame(() =>
            requestAnimationFrame(() => done(chart.querySelector(".reading").textContent))));
        })()""",
    )

    assert "night-06" in told
    assert "changed: torch 2.14 → 2.15" in told


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_contrast(chromium: Browser, page: Path, dark: bool) -> None:
    chromium.open(page, 1200, 900, dark=dark)
    value(chromium, "document.querySelector('.grow').click()")

    assert value(chromium, CONTRAST) == []


@pytest.mark.parametrize("width", [400, 800, 1200])
def test_the_page_never_scrolls_sideways(chromium: Browser, page: Path, width: int) -> None:
    chromium.open(page, width, 900)
    value(chromium, "document.querySelectorAll('.grow').forEach(button => button.click())")

    assert value(chromium, "document.documentElement.scrollWidth") == width


@pytest.mark.parametrize(
    ("width", "medium"),
    [(1150, ""), (1000, ""), (1047, "print")],  # 277 mm of a landscape A4 within its margins are 1047 px
    ids=["screen", "small screen", "paper"],
)
def test_the_table_of_changes_fits_with_all_its_columns(chromium: Browser, page: Path, width: int, medium: str) -> None:
    chromium.open(page, width, 900, medium=medium)
    sizes = value(
        chromium, "[...document.querySelectorAll('#changes .scroll')].map(s => [s.scrollWidth, s.clientWidth])"
    )
    heads = value(chromium, "[...document.querySelectorAll('#changes thead th')].map(th => th.firstChild.textContent)")

    assert heads == ["case", "verdict", "change", "now", "begins in", "what else changed"]
    assert sizes
    assert all(needed <= there for needed, there in sizes)


def test_the_text_of_a_name_stays_whole_for_those_who_copy_it(shown: Browser) -> None:
    name = value(shown, "document.querySelector('#changes tbody th code').textContent")

    assert name == "cpu-m00-batch8-nolog"


def test_on_paper_there_are_no_controls_and_every_fold_is_open(chromium: Browser, page: Path) -> None:
    chromium.open(page, 800, 900, medium="print")
    value(chromium, "dispatchEvent(new Event('beforeprint'))")

    assert value(chromium, "getComputedStyle(document.querySelector('.filter')).display") == "none"
    assert value(chromium, "[...document.querySelectorAll('details')].every(fold => fold.open)")
