"""The README's pictures, made by one command."""

from pathlib import Path

import pytest

from reports.browser import HOW_TO_INSTALL, find_chromium
from reports.cli import main
from tests.reports.made_runs import Store, made_benchmark

LESSON = {"name": "iris", "start": "warm", "epochs": 100, "log_interval": 1, "loop_time_s": 1.0}


def test_without_a_browser_one_line_says_what_to_install(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store.add({"a": 1.0})
    monkeypatch.setenv("PATH", "")

    assert main(["pictures", str(store.folder)]) == 2
    assert capsys.readouterr().err == f"reports: {HOW_TO_INSTALL}\n"


@pytest.mark.slow
@pytest.mark.skipif(find_chromium() is None, reason=HOW_TO_INSTALL)
def test_page_terminal_and_lesson_are_drawn_small_enough_for_a_repository(store: Store, tmp_path: Path) -> None:
    for _ in range(7):
        lesson = made_benchmark(
            "cpu-iris", 1.0, params={"device": "cpu"}, extra_info={"unit": "lesson", "lesson": LESSON}
        )
        store.write([made_benchmark("a", 1.0), lesson])

    assert main(["pictures", str(store.folder), "--output", str(tmp_path / "images")]) == 0

    made = {path.name: path.read_bytes() for path in (tmp_path / "images").iterdir()}
    assert set(made) == {"page.png", "terminal.png", "lesson.svg"}
    assert made["page.png"].startswith(b"\x89PNG")
    assert made["lesson.svg"].startswith(b"<svg")
    assert b"published: CPU" in made["lesson.svg"]
    assert max(map(len, made.values())) < 150_000
