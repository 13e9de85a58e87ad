"""Text from files made harmless for the place it goes to. HTML is escaped by the template engine itself.

Result files are data from other machines: a case's name may hold markup, formulas or terminal control sequences.
"""

import re
import unicodedata

LONGEST = 300
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_UNSEEN_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Controls, formatting such as right-to-left overrides, surrogates, private use, unassigned, line separators."""
_MARKDOWN = re.compile(r"[\\`*_\[\]#|~$@]|^[-+](?=\s)|(?<=^\d)[.)](?=\s)|(?<=:)//|(?<=www)\.", re.IGNORECASE)
_MARKUP = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;"})
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def sound(name: str) -> str:
    """Return a file's name as text that UTF-8 can hold: names are bytes, and need be no text at all."""
    return name.encode("utf-8", "replace").decode("utf-8")


def visible(words: str, longest: int = LONGEST) -> str:
    """Return one line of visible characters: no controls, no hidden formatting, not endlessly long."""
    line = _line(words[: longest + 1])
    return line if len(line) <= longest else line[: longest - 1] + "…"


def _line(words: str) -> str:
    if words.isprintable():  # nearly always; true of no character that is replaced
        return words
    return "".join(map(_visible, words))


def _visible(character: str) -> str:
    if character in "\t\n\r":
        return " "
    return REPLACEMENT if unicodedata.category(character) in _UNSEEN_CATEGORIES else character


def markdown(words: str) -> str:
    """Return text that Markdown shows as it is, in a paragraph and in a cell of a table."""
    return _MARKDOWN.sub(lambda found: f"\\{found[0]}", visible(words, longest=2000)).translate(_MARKUP)


def markdown_code(words: str) -> str:
    """Return text as a code span, whose fence is longer than any run of backticks in it; also for a cell."""
    line = visible(words)
    if not line.strip():
        return line
    fence = "`" * (1 + max(map(len, re.findall(r"`+", line)), default=0))
    padding = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{padding}{line}{padding}{fence}".replace("|", "\\|")


def csv_cell(words: str) -> str:
    """Return text that a spreadsheet takes as text: a leading sign of a formula is quoted, controls are gone."""
    line = _line(words)
    return f"'{line}" if line.startswith(_FORMULA) else line


def xml_text(words: str) -> str:
    """Return text without the characters that no XML document may hold."""
    return visible(words, longest=2000)
