"""The forms a report is written in: a page, Markdown, a terminal's text, tables for programs, JUnit."""
