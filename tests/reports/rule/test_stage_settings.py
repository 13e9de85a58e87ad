"""Settings: the rule's numbers, what they refuse, and which cases they hold for."""

from typing import Any

import pytest

from reports.rule.settings import Settings, as_table, described, from_table, matches


def test_the_defaults_stand_in_one_table() -> None:
    assert [(name, default) for name, default, _ in described()] == [
        ("window", 30),
        ("least_history", 5),
        ("trim", 4.0),
        ("prior_cap", 60.0),
        ("q", 0.05),
        ("floor", 0.025),
        ("absolute_floor_s", 1e-7),
        ("confirm_sessions", (2, 3, 5, 7)),
        ("confirm_weights", (0.3, 0.35, 0.3, 0.4)),
        ("confirm_clip", 3.0),
        ("guard_rank", 3),
        ("guard_least", 10),
        ("shift_floor", 0.015),
        ("shift_sd", 4.0),
        ("shift_cases", 20),
        ("suspect_p", 0.002),
        ("rerun_z", 2.0),
        ("rerun_decide", 2.5),
        ("recover_odds", 1000.0),
        ("creep_floors", 2.0),
    ]


def test_every_setting_says_what_it_means() -> None:
    assert all(len(meaning.split()) >= 5 for _, _, meaning in described())


def test_the_table_holds_every_value_that_is_used() -> None:
    table = as_table(Settings(q=0.1, overrides={"*gpu*": {"floor": 0.01}}))

    assert (table["q"], table["window"], table["overrides"]) == (0.1, 30, {"*gpu*": {"floor": 0.01}})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"window": 4}, "window: 4 is not between 5 and 1000"),
        ({"window": 30.0}, "window: 30.0 is not a whole number"),
        ({"least_history": 2}, "least_history: 2 is not between 3 and 1000"),
        ({"q": 0}, "q: 0 is not between 1e-06 and 0.5"),
        ({"q": True}, "q: True is not a number"),
        ({"floor": "3 %"}, "floor: '3 %' is not a number"),
        ({"floor": -0.01}, "floor: -0.01 is not between 0 and 10"),
        ({"floor": float("nan")}, "floor: nan is not between 0 and 10"),
        ({"trim": float("inf")}, "trim: inf is not between 2 and 100"),
        ({"confirm_sessions": 2}, "confirm_sessions: 2 is not a list of numbers"),
        ({"confirm_sessions": ()}, "confirm_sessions: () is not a list of numbers"),
        ({"confirm_sessions": (1, 3, 5, 7)}, "confirm_sessions: 1 is not between 2 and 20"),
        (
            {"confirm_sessions": (2, 3), "confirm_weights": (0.4,)},
            "confirm_weights: (0.4,) are not as many as the confirm_sessions",
        ),
        ({"confirm_weights": (0.9, 0.9, 0.9, 0.9)}, "confirm_weights: (0.9, 0.9, 0.9, 0.9) add up to more than 2"),
        ({"overrides": {"*": {"window": 9}}}, "overrides.*: window cannot be set per case; floor, absolute_floor_s"),
        ({"overrides": {"*": {"floor": "x"}}}, "overrides.*.floor: 'x' is not a number"),
        ({"overrides": {"*": {"guard_rank": 0}}}, "overrides.*.guard_rank: 0 is not between 1 and 30"),
    ],
)
def test_a_bad_value_is_refused_in_one_line_that_names_it(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011  the whole message is looked at
        Settings(**values)

    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_a_table_may_use_hyphens_and_lists_and_a_table_a_glob() -> None:
    table = {
        "least-history": 8,
        "confirm-sessions": [2, 5],
        "confirm-weights": [0.5, 0.5],
        "overrides": {"*cuda*": {"guard-rank": 2}},
    }

    made = from_table(table)

    assert (made.least_history, made.confirm_sessions, made.overrides) == (8, (2, 5), {"*cuda*": {"guard_rank": 2}})


def test_what_a_table_leaves_out_stays_as_it_was() -> None:
    made = from_table({"floor": 0.01}, from_table({"window": 20, "floor": 0.1}))

    assert (made.window, made.floor, made.q) == (20, 0.01, 0.05)


@pytest.mark.parametrize("name", ["overrides", "floor"])
def test_a_table_without_overrides_keeps_those_that_there_were(name: str) -> None:
    before = from_table({"overrides": {"cuda-*": {"floor": 0.1}}})
    table = {"floor": 0.01} if name == "floor" else {}

    assert from_table(table, before).per_case("floor", ["b[cuda-x]"]) == [0.1]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"flor": 0.1}, "flor: no such setting; known are absolute_floor_s, "),
        ({"overrides": {"a": 1}}, "overrides: {'a': 1} is not a table of one table a glob"),
        ({"overrides": 3}, "overrides: 3 is not a table of one table a glob"),
        ({"overrides": {"a": {"flor": 0.1}}}, "overrides.a: flor cannot be set per case; "),
        ({"window": "30"}, "window: '30' is not a whole number"),
    ],
)
def test_a_bad_table_is_refused_in_one_line_that_names_the_key(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011  the whole message is looked at
        from_table(table)

    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    ("glob", "is_match"),
    [
        ("*", True),
        ("cpu-iris-*", True),
        ("cpu-iris-mlp-batch32-nolog", True),
        ("benchmarks/bench_training.py::*", True),
        ("benchmarks/bench_training.py::bench_training[cpu-iris-mlp-batch32-nolog]", True),
        ("iris", False),
        ("CPU-*", False),
        ("cuda-*", False),
        ("cpu-iris-mlp-batch32-nolog]", False),
    ],
)
def test_a_glob_selects_by_the_whole_name_or_by_the_id(glob: str, is_match: bool) -> None:
    fullname = "benchmarks/bench_training.py::bench_training[cpu-iris-mlp-batch32-nolog]"

    assert matches(fullname, glob) == is_match


def test_a_name_without_brackets_has_no_id() -> None:
    assert not matches("bench.py::bench_copy", "")


def test_of_several_fitting_globs_the_last_one_holds_and_settings_do_not_mix() -> None:
    made = Settings(overrides={"*": {"floor": 0.1}, "cuda-*": {"floor": 0.2}, "cuda-big": {"suspect_p": 0.01}})

    assert made.per_case("floor", ["b[cpu-x]", "b[cuda-x]", "b[cuda-big]"]) == [0.1, 0.2, 0.2]
    assert made.per_case("suspect_p", ["b[cuda-x]", "b[cuda-big]"]) == [0.002, 0.01]
