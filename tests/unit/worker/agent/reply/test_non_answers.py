"""A text that is no answer is told for what it is; what only fails to answer is not."""

from __future__ import annotations

import pytest

from worker.agent.reply.non_answers import what_instead


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "empty"), (" \n", "empty"), ("```\n```", "empty"),
        ('{"name": "search", "arguments": {"query": "release"}}', "tool_call"),
        ('```json\n[{"name": "search", "parameters": {}}]\n```', "tool_call"),
        ('<tool_call>\n{"name": "search", "arguments": {"query": "출시"}}\n</tool_call>', "tool_call"),
        ('{"tool_calls": [{"function": {"name": "search", "arguments": "{}"}}]}', "tool_call"),
        ('{"type": "function", "function": {"name": "search", "arguments": {}}}', "tool_call"),
        ('[TOOL_CALLS] {"name": "search", "arguments": {"q": "x', "tool_call"),
        ("I'm sorry, but I can’t help with that.", "refused"), ("I cannot assist with this request.", "refused"),
        ("죄송하지만 도와드릴 수 없습니다.", "refused"), ("죄송합니다. 그 요청에는 응할 수 없어요.", "refused"),
        ("I cannot find anything about it in the record.", None), ("기록에서 찾을 수 없습니다.", None),
        ("They add a server.", None), ('{"answer": "They add a server."}', None), ("We can't help Ben before Monday.", None),
        ('I will call {"name": "search", "arguments": {}} now.', None), ("I'm sorry I can't help with that. " + "x" * 400, None),
    ],
)  # fmt: skip
def test_what_a_text_is(text: str, what: str | None) -> None:
    assert what_instead(text) == what
