"""What the page says of why a step is slow, of the crossover and of the primitives."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from reports.errors import ReportError
from reports.layout import Section
from reports.sections import SECTIONS, crossover, log_cost, primitives, why
from reports.subject import Subject
from reports.why.files import write_pictures
from tests.reports.made_runs import Store
from tests.reports.why.made_cases import US, ablation, accelerator, primitive, processor, training
from tests.reports.why.made_sessions import newest_of, subject_of, write


def on_both(sizes: dict[int, float], log: int | str = "never") -> list[dict[str, Any]]:
    """Return steps of 100 µs on a CPU, and on a GPU as much faster as is said for each batch size."""
    cases = []
    for size, speed_up in sizes.items():
        cases.append(training("cpu", 100 * US, batch_size=size, log=log))
        cases.append(training("cuda", 100 * US / speed_up, batch_size=size, log=log, operators=10))
    return cases


@pytest.fixture(scope="module")
def explained(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """A session with everything: both devices, primitives, a crossing at batch size 32 and a cure."""
    cure = {"plain": 1.0, "whole": 0.5}
    cases = [*processor(), *accelerator(), *on_both({16: 0.5, 64: 2.0}), training("cpu", 100 * US),
             ablation("cpu", "compile", 100 * US, cure)]  # fmt: skip
    return subject_of(tmp_path_factory.mktemp("explained"), *cases)


@pytest.fixture(scope="module")
def why_section(explained: Subject) -> Section:
    section = why.section(explained)
    assert section is not None
    return section


def crossover_of(subject: Subject) -> Section:
    section = crossover.section(subject)
    assert section is not None
    return section


def test_the_page_asks_these_questions_after_whether_the_gpu_is_worth_it() -> None:
    assert SECTIONS.index(crossover.section) < SECTIONS.index(why.section) < SECTIONS.index(primitives.section)


def test_the_page_tells_causes_predictions_and_cures(why_section: Section) -> None:
    sentences = why_section.sentences

    assert sentences[0] == "cpu: of 3 training cases launch-bound in 3."
    assert why_section.notes == (
        "launch-bound: most of the step goes into handing operators over, not into computing them.",
    )
    assert sentences[1] == (
        "No cause is told for 2 training cases (too much is unexplained, or the parts come to far more than the step)."
    )
    assert sentences[2] == (
        "cpu: from primitives and counts 100 % of 3 cases are predicted within 25 %, none of them from its own "
        "setting; the median error is 0 %."
    )
    assert sentences[-1] == (
        "mlp at batch size 32 on cpu: whole (compile) makes the step 2.00x as fast (1.98x to 2.02x); that is "
        "20 % of what the machine's ceilings allow."
    )


def test_causes_and_cures_stand_in_tables_of_their_own(why_section: Section) -> None:
    causes, cures, shares, accuracy = why_section.tables

    # 80 µs of bare operators, and what the other two settings say they take: 89.76 / 80 of it, 9.76 µs of 100
    assert causes.rows[1] == (
        "cpu", "mlp", "32", "100 µs", "launch-bound", "10 %", "40 operators at 2.24 µs each take 89.8 µs of 100 µs",
    )  # fmt: skip
    assert cures.rows == [("cpu", "mlp", "32", "compile: whole", "2.00x", "1.98 to 2.02x", "-", "20 %")]
    assert len(shares.rows) == 5
    assert shares.folded
    columns = [column.header for column in shares.columns]
    told = dict(zip(columns, next(row for row in shares.rows if row[:4] == ("cpu", "mlp", "32", "never")), strict=True))
    assert (told["handing over operators"], told["arithmetic at the ceiling"], told["copies"]) == ("80.0", "10.0", "-")
    assert accuracy.rows[2] == ("cpu", "two scales", "3", "100 %", "0 %")


def test_the_pictures_are_told_in_words_too(why_section: Section) -> None:
    shares_cpu, _, ladder = why_section.figures

    assert "mlp, 32: handing over operators 80 %, host work around them 9.8 %, arithmetic at the ceiling 10 %" in (
        shares_cpu.alternative
    )
    assert ladder.alternative == (
        "Dot chart. Plain: 100 µs; plain: 1.00x as fast; compile: whole: 2.00x as fast (1.98x to 2.02x); "
        "at the machine's ceiling 10.0 µs."
    )


def test_the_crossover_is_told_with_its_interval(explained: Subject) -> None:
    section = crossover_of(explained)

    ((model, log, sizes, crossover, interval),) = section.tables[0].rows
    assert (model, log, sizes, crossover) == ("mlp", "never", "16 to 64", "32.0")
    # IQR 1 % over 10 rounds, two cases, doubled: 0.9 % in speed-up, which grows with the batch size
    assert interval == "31.7 to 32.3"
    assert section.figures[0].alternative == (
        "Line chart. mlp: 0.500x (0.496x to 0.504x) at batch size 16, 2.00x (1.98x to 2.02x) at batch size 64, "
        "crossover at 32.0."
    )


@pytest.mark.parametrize(
    ("sizes", "crossover", "interval"),
    [
        ({16: 0.5, 64: 0.8}, "not within the sizes measured", "above 64"),
        ({16: 2.0, 64: 4.0}, "every size measured", "below 16"),
        ({16: 0.999, 64: 1.001}, "32.0", "below 16 to above 64"),
    ],
)
def test_a_crossover_outside_the_sizes_is_said_so(
    tmp_path: Path, sizes: dict[int, float], crossover: str, interval: str
) -> None:
    section = crossover_of(subject_of(tmp_path, *on_both(sizes)))

    assert section.tables[0].rows[0][3:] == (crossover, interval)


def test_an_ablation_is_no_training_case_of_the_crossover(tmp_path: Path) -> None:
    ablations = [ablation(device, "loss", 1.0, {}, batch_size=size) for device in ("cpu", "cuda") for size in (8, 32)]

    assert crossover.section(subject_of(tmp_path, *ablations)) is None


def test_primitives_stand_in_the_units_people_know(explained: Subject) -> None:
    section = primitives.section(explained)

    assert section is not None
    assert section.tables[0].rows[0] == ("cpu", "dispatching one operator", "-", "1", "-", "2.00 µs", "-")
    assert section.tables[0].rows[2] == ("cpu", "memory", "float32", "1", "95.4 MiB", "10.0 ms", "10.0 GB/s")
    assert section.tables[0].rows[-1] == ("cuda", "matrix product", "float32", "1", "-", "1.00 ms", "10.0 TFLOP/s")
    # 1 MFLOP in 100 µs at best
    assert section.figures[0].alternative == "Scatter chart below a roof. The fastest of each model: mlp: 10.0 GFLOP/s."


def test_without_primitives_the_page_says_what_is_missing(tmp_path: Path) -> None:
    section = why.section(subject_of(tmp_path, training("cpu", 100 * US)))

    assert section is not None
    (reason,) = section.sentences
    assert reason == (
        "No cause is told for 1 training case (not measured here: the cost of an operator, the cost of a read, the "
        "memory bandwidth, the matrix-product rate)."
    )
    assert section.figures == ()
    assert not {"Causes", "Shares of the step in percent, every case"} & {table.caption for table in section.tables}


def test_a_session_without_primitives_is_explained_by_the_machine_s_newest(tmp_path: Path) -> None:
    store = Store(tmp_path / ".benchmarks")
    write(store, *processor()[:1], *processor()[2:], primitive("cpu", "read-idle", 1.0))
    write(store, *processor())
    write(store, training("cpu", 100 * US, log=1))

    section = why.section(newest_of(tmp_path))

    assert section is not None
    assert section.sentences[0] == (
        "This session measured no primitives; those of this machine's newest session that did are used."
    )
    assert section.sentences[1] == "cpu: of 1 training case launch-bound in 1."


def test_a_store_of_another_suite_has_no_such_sections(tmp_path: Path) -> None:
    odd = training("", 1.0, model="")
    subject = subject_of(tmp_path, odd | {"params": {}, "extra": {}})

    assert [make(subject) for make in (why.section, crossover.section, primitives.section)] == [None, None, None]


def test_a_session_of_primitives_alone_is_told(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, primitive("cpu", "dispatch", 2 * US))

    section = primitives.section(subject)

    assert section is not None
    assert section.figures == ()
    assert not {"Causes", "Shares of the step in percent, every case"} & {table.caption for table in section.tables}
    assert why.section(subject) is None


def test_the_pictures_are_files_that_read_on_light_and_dark(explained: Subject, tmp_path: Path) -> None:
    written = write_pictures(explained, tmp_path / "pictures")

    assert [path.name for path in written] == ["speed-up.svg", "shares-cpu.svg", "shares-cuda.svg"]
    for path in written:
        assert ET.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314  our own file
        assert "prefers-color-scheme:dark" in path.read_text(encoding="utf-8")
    assert sorted(path.name for path in (tmp_path / "pictures").iterdir()) == sorted(path.name for path in written)


def test_without_a_gpu_there_is_no_speed_up_to_draw(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, *processor(), training("cpu", 100 * US))

    assert [path.name for path in write_pictures(subject, tmp_path)] == ["shares-cpu.svg"]


def test_a_folder_that_cannot_be_written_is_one_line(explained: Subject, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(ReportError, match="cannot write the pictures to"):
        write_pictures(explained, tmp_path / "file")


def test_what_neighbours_took_is_told_and_is_no_cost_of_reading(tmp_path: Path) -> None:
    """Reading cost nothing of the core's own 100 µs; half of the core was gone while the loss was read."""
    cases = [
        training("cpu", 200 * US, log=1, cpu_time_ratio=0.5),
        training("cpu", 100 * US, log=10, cpu_time_ratio=1.0),
        training("cpu", 100 * US, cpu_time_ratio=1.0),
    ]
    subject = subject_of(tmp_path, *processor(), *cases)
    explained, cost = why.section(subject), log_cost.section(subject)

    assert explained is not None
    assert explained.sentences[0] == (
        "Neighbours took 0 % to 50 % of the core from one-thread cases; these are explained and predicted in the "
        "core's own time: measured time x share of the core."
    )
    assert cost is not None
    assert cost.sentences[0] == "cpu: no detectable difference between reading the loss and not, with mlp."


def test_what_a_read_costs_a_busy_device_is_told_beside_an_idle_one(tmp_path: Path) -> None:
    busy = primitive("cuda", "read-busy", 150 * US, without_read_s=132 * US)

    section = primitives.section(subject_of(tmp_path, *accelerator(), busy, training("cuda", 100 * US)))

    # ten rounds with an IQR of 1 % of 150 µs: 2 x sqrt(2) x 1.5 / sqrt(10) = 1.34 µs

    assert section is not None
    assert section.sentences[-1] == (
        "cuda: a read adds 18.0 µs (16.7 µs to 19.3 µs) to the work of a busy device, among them the 5.00 µs of a "
        "launch that no longer overlaps; on an idle device a read takes 20.0 µs."
    )


def test_a_read_within_the_scatter_of_the_work_is_no_cost(tmp_path: Path) -> None:
    busy = primitive("cuda", "read-busy", 150 * US, without_read_s=149 * US)

    section = primitives.section(subject_of(tmp_path, *accelerator(), busy, training("cuda", 100 * US)))

    assert section is not None
    assert section.sentences[-1] == (
        "cuda: no detectable difference between a busy device's work with a read and without."
    )
