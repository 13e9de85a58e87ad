"""Selection: exact by axis, nightly only when asked for, and one clear line for what cannot be."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Select = Callable[..., tuple[int, list[str], list[str]]]

MATRIX = """
    import pytest

    @pytest.mark.parametrize(
        ("model", "batch_size", "log_interval"),
        [
            pytest.param("iris", 16, 1, id="iris-batch16-logeach"),
            pytest.param("iris", 16, 10, id="iris-batch16-log10"),
            pytest.param("iris", 160, "never", id="iris-batch160-nolog"),
            pytest.param("vgg", 16, 1, id="vgg-batch16-logeach", marks=pytest.mark.nightly),
        ],
    )
    @pytest.mark.parametrize(
        "device", ["cpu", "cpu-all", pytest.param("cuda1", marks=pytest.mark.further_device)]
    )
    def test_case(device, model, batch_size, log_interval, benchmark):
        benchmark.pedantic(len, args=("",))

    def test_without_axes(benchmark):
        benchmark.pedantic(len, args=("",))
"""
INI = """
    [pytest]
    markers =
        nightly: heavy
        further_device: on request
"""
TELL = """
    from fixtures.selection import NARROWED

    def pytest_terminal_summary(terminalreporter, config):
        terminalreporter.write_line(f"narrowed: {config.stash[NARROWED]}")
"""


@pytest.fixture
def selected(pytester: pytest.Pytester) -> Select:
    """Run the little matrix with options; returns (exit code, ids that ran, error lines)."""
    pytester.makepyfile(MATRIX)
    pytester.makeini(INI)

    def run(*options: str) -> tuple[int, list[str], list[str]]:
        plugins = ("-p", "fixtures.options", "-p", "fixtures.selection", "-p", "no:cacheprovider")
        result = pytester.runpytest_inprocess(*plugins, "--benchmark-disable", "-v", *options)
        ran = [line.split("::")[1].split(" ")[0] for line in result.outlines if " PASSED" in line]
        return int(result.ret), ran, [line for line in result.errlines if line.startswith("ERROR: ")]

    return run


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        (["--devices", "cpu", "--log-intervals", "1"], ["test_case[cpu-iris-batch16-logeach]"]),
        (["--devices=cpu-all", "--batch-sizes=160"], ["test_case[cpu-all-iris-batch160-nolog]"]),
        (["--log-intervals", "never,10", "--devices", "cpu"],
         ["test_case[cpu-iris-batch16-log10]", "test_case[cpu-iris-batch160-nolog]"]),
        (["--devices", "cuda1", "--log-intervals", "10"], ["test_case[cuda1-iris-batch16-log10]"]),
        (["-m", "nightly", "--devices", "cpu"], ["test_case[cpu-vgg-batch16-logeach]"]),
        (["--models=vgg", "-mnightly or not nightly", "--devices=cpu"], ["test_case[cpu-vgg-batch16-logeach]"]),
        (["-k", "without_axes"], ["test_without_axes"]),
        (["--models", " iris ,", "--devices", "cpu", "-k", "nolog"], ["test_case[cpu-iris-batch160-nolog]"]),
    ],
)  # fmt: skip
def test_options_narrow_exactly(selected: Select, options: list[str], ids: list[str]) -> None:
    code, ran, _ = selected(*options)

    assert (code, ran) == (0, ids)


@pytest.mark.parametrize(
    ("options", "narrowed"),
    [
        ([], False),
        (["-m", "nightly or not nightly"], False),
        (["--devices", "cpu,cpu-all,cuda1"], True),  # the case without a device is left out
        (["-k", "batch16"], True),
        (["-m", "nightly"], True),
        (["test_selection_of_a_file.py"], True),
        (["--ignore", "test_other.py"], True),
        (["--ignore-glob", "*other*"], True),
        (["--deselect", "test_other.py::test_other"], True),
    ],
)
def test_a_run_knows_whether_cases_of_the_default_matrix_were_left_out_on_purpose(
    pytester: pytest.Pytester, options: list[str], narrowed: bool
) -> None:
    pytester.makepyfile(
        test_selection_of_a_file=MATRIX,
        test_other="def test_other(benchmark):\n    benchmark.pedantic(len, args=('',))",
    )
    pytester.makeini(INI)
    pytester.makeconftest(TELL)
    plugins = ("-p", "fixtures.options", "-p", "fixtures.selection", "-p", "no:cacheprovider")

    result = pytester.runpytest_inprocess(*plugins, "--benchmark-disable", *options)

    result.stdout.fnmatch_lines([f"narrowed: {narrowed}"])


def test_a_run_of_what_failed_last_is_narrowed_though_it_collects_no_other_file(pytester: pytest.Pytester) -> None:
    body = "def test_case(benchmark):\n    benchmark.pedantic(len, args=('',))\n    assert {}"
    pytester.makepyfile(test_good=body.format(True), test_bad=body.format(False))
    pytester.makeconftest(TELL)
    options = ("-p", "fixtures.options", "-p", "fixtures.selection", "--benchmark-disable")

    pytester.runpytest_inprocess(*options).stdout.fnmatch_lines(["narrowed: False"])
    pytester.runpytest_inprocess(*options, "--lf").stdout.fnmatch_lines(["narrowed: True"])


def test_without_options_nightly_cases_and_further_devices_are_left_out(selected: Select) -> None:
    code, ran, _ = selected()

    assert code == 0
    assert len(ran) == 2 * 3 + 1
    assert not [name for name in ran if "vgg" in name or "cuda1" in name]


def test_a_nightly_case_named_by_its_node_id_runs(selected: Select) -> None:
    name = "test_a_nightly_case_named_by_its_node_id_runs.py::test_case[cpu-vgg-batch16-logeach]"

    code, ran, _ = selected(name)

    assert (code, ran) == (0, ["test_case[cpu-vgg-batch16-logeach]"])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--devices", "gpu"], "--devices: unknown gpu; known: cpu, cpu-all, cuda1"),
        (["--models", "iris,alexnet,bert"], "--models: unknown alexnet, bert; known: iris, vgg"),
        (["--batch-sizes", "17"], "--batch-sizes: unknown 17; known: 16, 160"),
        (["--batch-sizes", "1e3"], "--batch-sizes: unknown 1e3; known: 16, 160"),
        (["--log-intervals", "0"], "--log-intervals: unknown 0; known: 1, 10, never"),
        (["--devices", ","], "--devices: no value in ','"),
        (["--models", ""], "--models: no value in ''"),
        (["--batch-sizes=160", "--log-intervals=10"], "no case matches --batch-sizes 160 --log-intervals 10 together"),
        (["--models", "vgg"], "only nightly cases match; add `-m nightly` to run them"),
        (["--require-device", "tpu"], "--require-device: unknown tpu; known: cpu, cpu-all, cuda1"),
        (["--require-device", "cuda1"], "--require-device cuda1: no case of that device is selected"),
    ],
)  # fmt: skip
def test_what_cannot_be_selected_is_one_line_and_exit_code_4(selected: Select, options: list[str], says: str) -> None:
    code, ran, errors = selected(*options)

    assert (code, ran) == (4, [])
    assert errors == [f"ERROR: {says}"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--models", "iris"], "--models iris: no case here has a model"),
        (["--batch-sizes", "16,8"], "--batch-sizes 8,16: no case here has a batch size"),
        (["--require-device", "cuda"], "--require-device cuda: no case here has a device"),
    ],
)
def test_an_option_for_an_axis_that_no_case_has_says_so(
    pytester: pytest.Pytester, options: list[str], says: str
) -> None:
    pytester.makepyfile("def test_plain(benchmark):\n    pass")

    result = pytester.runpytest_inprocess("-p", "fixtures.options", "-p", "fixtures.selection", *options)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {says}"])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--case-budget", "0"], "argument --case-budget: invalid number of seconds above zero value: '0'"),
        (["--case-budget", "fast"], "argument --case-budget: invalid number of seconds above zero value: 'fast'"),
        (["--case-timeout", "nan"], "argument --case-timeout: invalid number of seconds above zero value: 'nan'"),
        (["--run-kind", "weekly"], "argument --run-kind: invalid choice: 'weekly'"),
        (
            ["--session-id", "a/b"],
            "argument --session-id: invalid id of letters, digits, '.', '_' and '-' value: 'a/b'",
        ),
    ],
)
def test_a_bad_value_is_named_with_its_option(pytester: pytest.Pytester, options: list[str], says: str) -> None:
    result = pytester.runpytest_inprocess("-p", "fixtures.options", *options)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*error: {says.replace('[', '[[]')}*"])
