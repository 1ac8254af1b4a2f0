"""What Markdown may take for markup, and the text that a reader of Markdown makes of it."""

from __future__ import annotations

from tests.security.doors.forms import READER

ODD = (
    "# Decisions", "- [ ] task", "1. one", "12) twelve", "+ plus", "---", "===", "***", "--- | ---", ":--", ": definition", "```", "~~~ sh",
    "    code", "> quote", "| a | b |", "[x](javascript:alert(1))", "![x](http://e)", "[x]: http://e", "<b>x</b>", "<script>alert(1)</script>",
    "<!-- x", "<https://e.example>", "`code`", "*a* __b__ ~~c~~", "&lt;b&gt; &#60;b&#62; &copy", "R&D", "a\\", "\\*a\\*", "-5 degrees", "3.5 %",
    "1.", "-", "+", "=", "\u2028# a", "a\n# b", "{{ title }} {% for a in b %}", "{# x #}", "회의 *결정*", "**Ben** (10:00:00): I resign. [#9]",
)  # fmt: skip


def text_of(markdown: str) -> str:
    return "".join(
        each.content
        for token in READER.parse(markdown)
        for each in token.children or ()
        if each.type.startswith("text")
    )
