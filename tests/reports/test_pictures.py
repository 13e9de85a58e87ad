"""The README's pictures, made by one command."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from reports.browser import HOW_TO_INSTALL, find_chromium
from reports.cli import main
from tests.reports.made_runs import Store, made_benchmark
from tests.reports.why.made_cases import US, accelerator, processor, training
from tests.reports.why.made_sessions import write

LESSON = {"name": "iris", "start": "warm", "epochs": 100, "log_interval": 1, "loop_time_s": 1.0}


def test_without_a_browser_one_line_says_what_to_install(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store.add({"a": 1.0})
    monkeypatch.setenv("PATH", "")

    assert main(["pictures", str(store.folder)]) == 2
    assert capsys.readouterr().err == f"reports: {HOW_TO_INSTALL}\n"


def test_without_the_screens_no_browser_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The speed-up needs one setting on two devices, the shares a step and the primitives that explain it."""
    steps = [training("cpu", 100 * US, batch_size=size) for size in (16, 64)]
    steps += [training("cuda", 100 * US / speed_up, batch_size=size) for size, speed_up in ((16, 0.5), (64, 2.0))]
    write(Store(tmp_path / ".benchmarks"), *processor(), *accelerator(), *steps)
    monkeypatch.setenv("PATH", "")

    images = tmp_path / "images"
    assert main(["pictures", str(tmp_path / ".benchmarks"), "--output", str(images), "--no-screens"]) == 0

    names = ["speed-up.svg", "shares-cpu.svg", "shares-cuda.svg"]
    assert capsys.readouterr().out == "".join(f"{images / name}\n" for name in names)
    assert sorted(path.name for path in images.iterdir()) == sorted(names)
    for name in names:
        assert ET.parse(images / name).getroot().tag.endswith("svg")  # noqa: S314  we wrote it


def test_a_session_with_nothing_to_draw_says_so(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.add({"a": 1.0})

    assert main(["pictures", str(store.folder), "--output", str(tmp_path / "images"), "--no-screens"]) == 0
    assert capsys.readouterr().out.startswith("Nothing to draw")


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
