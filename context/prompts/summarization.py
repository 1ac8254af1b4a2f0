"""The prompts for a topic's summary: the first one, and the one that folds in what came since.

Both ask for all fields, each statement with the ids of the utterances that bear it out. `summary_prompt`
and `recursive_summary_prompt` fill them in; speech goes between markers, as data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.primitives.text import fenced
from context.prompts import prompts
from context.prompts.quoting import quoted_speech_rule

_PROMPTS: Final = prompts("summarization")

L1_SUMMARY_PROMPT: Final = {
    language: text + _PROMPTS["fields"][language] for language, text in _PROMPTS["first"].items()
}
"""Seed 000 §3.5, by language. In: `topic_name`, `topic_utterances`."""

RECURSIVE_SUMMARY_PROMPT: Final = {
    language: text + _PROMPTS["fields"][language] for language, text in _PROMPTS["recursive"].items()
}
"""Seed 000 §3.3.1, by language. In: `previous_summary`, `start`, `end`, `new_utterances`."""


def summary_system(language: str) -> str:
    """The system prompt of a summary: what the model is for, and that speech is data."""
    tongue = "ko" if language == "ko" else "en"
    return f"{_PROMPTS['system'][tongue]}\n{quoted_speech_rule(tongue)}"


def summary_prompt(topic_name: str, topic_utterances: str, *, language: str = "ko") -> str:
    """The prompt for a topic's first summary; `topic_utterances`: its lines, each with its [#id]."""
    template = L1_SUMMARY_PROMPT["ko" if language == "ko" else "en"]
    return template.format(topic_name=fenced(topic_name), topic_utterances=fenced(topic_utterances))


def recursive_summary_prompt(
    previous_summary: str, new_utterances: str, *, start: int, end: int, language: str = "ko"
) -> str:
    """The prompt for a topic's later summaries; `start`, `end`: ids of the first and last new utterance."""
    template = RECURSIVE_SUMMARY_PROMPT["ko" if language == "ko" else "en"]
    return template.format(
        previous_summary=fenced(previous_summary), new_utterances=fenced(new_utterances), start=start, end=end
    )


def looks_like(decisions: Sequence[int], tasks: Sequence[int], *, language: str) -> str:
    """A hint for a summary's prompt: ids of utterances that look like decisions or tasks; "" for none."""
    if not decisions and not tasks:
        return ""
    told = [" ".join(f"[#{id_}]" for id_ in ids) or "-" for ids in (decisions, tasks)]
    template = _PROMPTS["looks_like"]["ko" if language == "ko" else "en"]
    return "\n" + template.format(decisions=told[0], tasks=told[1])


def decided_before(lines: Sequence[str], *, language: str) -> str:
    """A part of a summary's prompt: standing decisions of other topics, for `replaces`; "" for none."""
    if not lines:
        return ""
    told = "\n".join(map(fenced, lines))
    rule = _PROMPTS["decided_before"]["ko" if language == "ko" else "en"]
    return f"\n{rule}\n<earlier_decisions>\n{told}\n</earlier_decisions>"
