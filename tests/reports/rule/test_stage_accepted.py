"""accepted.toml: what it holds, how it is written, and what is wrong with it in one line."""

from pathlib import Path

import pytest

from reports.rule.accepted import Accepted, Book, Renamed, read, with_accepted, with_renamed, write
from reports.rule.renames import joined, suggested
from reports.rule.verdict import replay
from tests.reports.rule.made_histories import STEADY, judged, made_sessions

ON_PURPOSE = Accepted("cpu-iris-*", "float64 on purpose", "night-42")
MOVED = Renamed("b.py::b[old]", "b.py::b[new]")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "accepted.toml"


def test_a_file_that_is_not_there_accepts_nothing(file: Path) -> None:
    assert read(file) == Book()


def test_a_file_is_read_as_it_is_written_by_hand(file: Path) -> None:
    file.write_text("""
        [[accepted]]
        case = "cpu-iris-*"
        reason = "float64 on purpose"
        at = "night-42"

        [[accepted]]
        case = "machine:*"
        reason = "new cooler"
        at = 2026-03-12
        level_s = 0.5

        [[renamed]]
        from = "b.py::b[old]"
        to = "b.py::b[new]"
    """)

    assert read(file) == Book((ON_PURPOSE, Accepted("machine:*", "new cooler", "2026-03-12", 0.5)), (MOVED,))


@pytest.mark.parametrize("at", ["2026-03-12", "2026-03-12T02:00:00", "2026-03-12 02:00:00Z"])
def test_a_date_or_time_of_toml_stands_for_its_day(file: Path, at: str) -> None:
    file.write_text(f'[[accepted]]\ncase = "a"\nreason = "b"\nat = {at}\n')

    assert read(file).accepted[0].at == "2026-03-12"


@pytest.mark.parametrize(
    "text",
    ["plain", 'in "quotes"', "back\\slash", "two\nlines", "tab\t", "ünïcode 漢字", "\x00\x1b\x7f", "'''", "# no"],
)
def test_whatever_is_written_is_read_again(file: Path, text: str) -> None:
    book = Book((Accepted(f"a{text}", f"r{text}", f"s{text}", 1e-7),), (Renamed(f"o{text}", f"n{text}"),))

    write(file, book)

    assert read(file) == book


def test_the_written_file_says_what_it_is_for(file: Path) -> None:
    write(file, Book((ON_PURPOSE,)))

    assert file.read_text() == (
        "# Levels accepted as right, and cases that were renamed. Commit this file; verdicts depend on it.\n"
        "\n"
        '[[accepted]]\ncase = "cpu-iris-*"\nreason = "float64 on purpose"\nat = "night-42"\n'
    )


def test_nothing_else_is_left_beside_the_file(file: Path) -> None:
    write(file, Book((ON_PURPOSE,)))
    write(file, Book())

    assert [path.name for path in file.parent.iterdir()] == ["accepted.toml"]


def test_a_file_that_cannot_be_replaced_leaves_nothing_half_written(file: Path) -> None:
    file.mkdir()

    with pytest.raises(OSError, match=r"accepted\.toml"):
        write(file, Book((ON_PURPOSE,)))

    assert [path.name for path in file.parent.iterdir()] == ["accepted.toml"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[accepted]\n", "not readable as TOML: "),
        ("[[acepted]]\n", "acepted: no such key; known are accepted and renamed"),
        ("[accepted]\n", "accepted: must be written as [[accepted]]"),
        ("accepted = 3\n", "accepted: must be written as [[accepted]]"),
        ("renamed = [1]\n", "renamed: must be written as [[renamed]]"),
        ('[[accepted]]\ncase = "a"\nat = "s"\n', "accepted[1].reason: is missing"),
        ('[[accepted]]\nreason = "r"\nat = "s"\n', "accepted[1].case: is missing"),
        ('[[accepted]]\ncase = "a"\nreason = "r"\n', "accepted[1].at: is missing"),
        ('[[accepted]]\ncase = "a"\nreason = " "\nat = "s"\n', "accepted[1].reason: ' ' is not a text"),
        ('[[accepted]]\ncase = 1\nreason = "r"\nat = "s"\n', "accepted[1].case: 1 is not a text"),
        ('[[accepted]]\ncase = "a"\nreason = "r"\nat = 7\n', "accepted[1].at: 7 is not a text"),
        (
            '[[accepted]]\ncase = "a"\nwhy = "r"\nat = "s"\n',
            "accepted[1].why: no such key; known are at, case, level_s, re",
        ),
        *(
            (
                f'[[accepted]]\ncase = "a"\nreason = "r"\nat = "s"\nlevel_s = {level}\n',
                f"accepted[1].level_s: {shown} is not a time above 0 s",
            )
            for level, shown in (("0", "0"), ("-1.5", "-1.5"), ("nan", "nan"), ("inf", "inf"), ("true", "True"))
        ),
        ('[[renamed]]\nfrom = "a"\n', "renamed[1].to: is missing"),
        ('[[renamed]]\nfrom = "a"\nto = "b"\n[[renamed]]\nto = "b"\n', "renamed[2].from: is missing"),
        ('[[renamed]]\nfrom = "a"\nto = "a"\n', "renamed[1].to: 'a' is the same name as from"),
    ],
)
def test_a_bad_file_is_refused_in_one_line_that_names_it_and_the_key(file: Path, text: str, message: str) -> None:
    file.write_text(text)

    with pytest.raises(ValueError) as refused:  # noqa: PT011  the whole message is looked at
        read(file)

    assert str(refused.value).startswith(f"{file}: {message}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"case = '\xc3'"])
def test_a_file_that_is_no_text_is_refused_in_one_line(file: Path, content: bytes) -> None:
    file.write_bytes(content)

    with pytest.raises(ValueError, match=r"accepted\.toml: not readable as TOML: "):
        read(file)


def test_accepting_the_same_cases_of_a_session_again_replaces_the_reason() -> None:
    again = Accepted("cpu-iris-*", "a better reason", "night-42")
    later = Accepted("cpu-iris-*", "another night", "night-50")

    book = with_accepted(with_accepted(Book((ON_PURPOSE,), (MOVED,)), again), later)

    assert book == Book((again, later), (MOVED,))


def test_renaming_a_case_again_replaces_its_new_name() -> None:
    again = Renamed(MOVED.old, "b.py::b[newer]")

    assert with_renamed(Book((ON_PURPOSE,), (MOVED,)), again) == Book((ON_PURPOSE,), (again,))


def test_a_renamed_case_keeps_its_history() -> None:
    frame = made_sessions({"old": [*STEADY, None, None], "new": [*[None] * 10, 0.05, 0.05]})

    apart = judged(frame)
    together = replay(frame, None, Book(renamed=(Renamed("old", "new"),))).set_index("fullname")

    assert apart["verdict"].to_dict() == {"old": "missing", "new": "insufficient-history"}
    assert together["verdict"].to_dict() == {"new": "regression"}


def test_a_case_renamed_twice_has_its_last_name() -> None:
    frame = made_sessions({"a": [0.0, None, None], "b": [None, 0.0, None], "c": [None, None, 0.0]})

    names = joined(frame, [Renamed("a", "b"), Renamed("b", "c")])["fullname"]

    assert list(names) == ["c", "c", "c"]


def test_names_that_go_round_in_a_circle_come_to_an_end() -> None:
    frame = made_sessions({"a": [0.0, None], "b": [None, 0.0]})

    assert set(joined(frame, [Renamed("a", "b"), Renamed("b", "a")])["fullname"]) <= {"a", "b"}


def test_a_session_that_has_both_names_keeps_both() -> None:
    frame = made_sessions({"old": [0.0, 0.0], "new": [None, 0.0]})

    renamed = joined(frame, [Renamed("old", "new")])

    assert sorted(zip(renamed["session"], renamed["fullname"], strict=True)) == [
        ("night-00", "new"),
        ("night-01", "new"),
        ("night-01", "old"),
    ]


@pytest.mark.parametrize(
    ("log_time", "dataset", "offered"),
    [
        (0.04, "iris", [Renamed("old", "new")]),
        (0.05, "iris", []),  # ln 1.05 = 0.0488: not about the same time
        (0.04, "wine", []),
    ],
)
def test_a_missing_and_a_new_case_that_are_alike_may_be_one(
    log_time: float, dataset: str, offered: list[Renamed]
) -> None:
    work = {("old", night): {"dataset": "iris"} for night in range(6)} | {("new", 6): {"dataset": dataset}}
    frame = made_sessions({"old": [*[0.0] * 6, None], "new": [*[None] * 6, log_time]}, work=work)

    assert suggested(replay(frame), frame) == offered


def test_a_case_with_two_likely_new_names_is_offered_none() -> None:
    frame = made_sessions({"old": [*[0.0] * 6, None], "new": [*[None] * 6, 0.0], "newer": [*[None] * 6, 0.0]})

    assert suggested(replay(frame), frame) == []
