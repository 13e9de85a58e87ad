import pytest

from reports.escaping import csv_cell, markdown, markdown_code, visible


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("plain", "plain"),
        ("µ 日本", "µ 日本"),
        ("two\nlines\tand a tab", "two lines and a tab"),
        ("\x1b[31mred\x07", "\N{REPLACEMENT CHARACTER}[31mred\N{REPLACEMENT CHARACTER}"),
        ("\N{RIGHT-TO-LEFT OVERRIDE}gpj.exe", "\N{REPLACEMENT CHARACTER}gpj.exe"),
        ("\x9b2J", "\N{REPLACEMENT CHARACTER}2J"),
        ("zero\N{ZERO WIDTH SPACE}width", "zero\N{REPLACEMENT CHARACTER}width"),
    ],
)
def test_nothing_invisible_reaches_a_reader(words: str, shown: str) -> None:
    assert visible(words) == shown


def test_endless_text_is_cut() -> None:
    assert visible("x" * 1000, longest=10) == "x" * 9 + "…"


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("a|b", "a\\|b"),
        ("`code` *bold* _thin_", "\\`code\\` \\*bold\\* \\_thin\\_"),
        ("[link](x)", "\\[link\\](x)"),
        ("<script>", "&lt;script&gt;"),
        ("&lt;", "&amp;lt;"),
        ("# heading", "\\# heading"),
        ("- item", "\\- item"),
        ("+22.5 %", "+22.5 %"),
        ("1. item", "1\\. item"),
        ("1.25 times", "1.25 times"),
        ("https://example.org", "https:\\//example.org"),
        ("www.example.org", "www\\.example.org"),
        ("@someone", "\\@someone"),
        ("$x$", "\\$x\\$"),
    ],
)
def test_markdown_shows_text_as_it_is(words: str, shown: str) -> None:
    assert markdown(words) == shown


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("cpu-iris", "`cpu-iris`"),
        ("a|b", "`a\\|b`"),
        ("tick`tick", "``tick`tick``"),
        ("`edge`", "`` `edge` ``"),
        ("<b>", "`<b>`"),
        ("", ""),
    ],
)
def test_a_name_is_one_code_span_whatever_it_holds(words: str, shown: str) -> None:
    assert markdown_code(words) == shown


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM", "'@SUM"),
        ("\t=1", " =1"),
        ("benchmarks/b.py::x[a=b]", "benchmarks/b.py::x[a=b]"),
    ],
)
def test_no_text_becomes_a_formula(words: str, shown: str) -> None:
    assert csv_cell(words) == shown
