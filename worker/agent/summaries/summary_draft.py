"""What a language model is asked to write of a topic, and how that becomes a `Summary`.

It is shown the last summary and a span of what was said since, each within a bound of tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from context.budgets.tokens import ELLIPSIS, fit, shared
from context.evidence.facts import matter
from context.language.questions import is_question
from context.language.spoken_sentences import split_utterances
from context.models import PendingKind, Statement, Summary, Utterance
from context.ports import ChatMessage, Tokenizer
from context.prompts.citing import balanced, cited_ids, cited_in, without_citations
from context.prompts.quoting import quoted, says_something, summary_line
from context.prompts.summarization import (
    decided_before,
    looks_like,
    recursive_summary_prompt,
    summary_prompt,
    summary_system,
)
from context.reading.acts import settling_utterances
from context.reading.replacing import SELDOM_RARITY, rarity
from context.statements.summary_merge import newest


def _in_a_word(value: Any) -> Any:
    """An owner or a date as a text: a small model may write a number, or null where there is none."""
    return "" if value is None else str(value) if isinstance(value, int | float) else value


def _known_status(value: Any) -> Any:
    """No other status is kept: that a decision is decided is told by the list in which it stands."""
    return value if value in ("open", "done") else ""


def _known_ids(value: Any) -> Any:
    """What is replaced; where that makes no sense, nothing is."""
    try:
        return cited_ids(value)
    except ValueError:
        return []


def _as_item(value: Any) -> Any:
    """An item as an object; one that is written as a line of an answer cites within its text."""
    if isinstance(value, str):
        value = {"text": value}
    if isinstance(value, dict) and not _known_ids(value.get("evidence")):
        within = cited_in(str(value.get("text", "")))
        value = {**value, "evidence": within or value.get("evidence")}
    return value


def _at_most(items: int, least: int = 0) -> Any:
    """A bound that a model is told and a grammar keeps it to; more, from one that knows none, is no fault."""
    bounds: dict[str, Any] = {"minItems": least} if least else {}
    return Field(json_schema_extra={**bounds, "maxItems": items})


class ItemDraft(BaseModel):  # noqa: D101 - a docstring would be sent with each request
    # No docstrings and descriptions: they would be sent with each request, and the prompt says it all. One
    # shape for all lists, since each has to be sent, too: what a list has no use for is passed over.

    text: Annotated[str, Field(min_length=1, json_schema_extra={"maxLength": 300})]
    evidence: Annotated[list[int], BeforeValidator(cited_ids), _at_most(3, least=1)]
    owner: Annotated[str, BeforeValidator(_in_a_word)] = ""
    due: Annotated[str, BeforeValidator(_in_a_word)] = ""
    status: Annotated[Literal["open", "done", ""], BeforeValidator(_known_status)] = ""
    replaces: Annotated[list[int], BeforeValidator(_known_ids)] = Field(default_factory=list)

    _as_item = model_validator(mode="before")(_as_item)


class SummaryDraft(BaseModel):  # noqa: D101 - as above
    # A whole summary: every field anew, none left out.

    # Without the bounds a small model goes on until it is cut off.

    topic_name: str = ""
    summary: Annotated[list[ItemDraft], _at_most(6)]
    key_points: Annotated[list[ItemDraft], Field(max_length=12), _at_most(5)]
    decisions: Annotated[list[ItemDraft], _at_most(20)]
    pending: Annotated[list[ItemDraft], _at_most(20)]
    keywords: Annotated[list[str], _at_most(10)] = Field(default_factory=list)


def summary_of(draft: SummaryDraft, previous: Summary, utterances: Sequence[Utterance]) -> Summary:
    """The draft as a `Summary`, still unchecked; who took part is known better than any model knows it."""
    names = frozenset(utterance.speaker_name for utterance in utterances)
    sentences = _statements(draft.summary, names)
    decided = _statements(draft.decisions, names, lambda item: {"replaces": tuple(item.replaces)})
    decisions = tuple(item for item in decided if not is_question(item.text))
    settled = {decision.text for decision in decisions}
    pending = _statements(draft.pending, names, _pending)
    speakers = (*previous.participants, *(utterance.speaker_id for utterance in utterances))
    return Summary(
        text=" ".join(sentence.text for sentence in sentences),
        sentences=sentences,
        key_points=_statements(draft.key_points[:5], names),
        decisions=decisions,
        pending=tuple(item for item in pending if item.kind == "action" or item.text not in settled),
        participants=tuple(dict.fromkeys(speakers)),
        keywords=tuple(dict.fromkeys(word.strip() for word in draft.keywords if word.strip()))[:10],
    )


def _pending(draft: ItemDraft) -> dict[str, Any]:
    kind: PendingKind = "action" if draft.owner or draft.due else "open"
    status = draft.status or "open"
    return {"owner": draft.owner or None, "due": draft.due or None, "status": status, "kind": kind}


def _statements(
    drafts: Iterable[ItemDraft],
    names: Collection[str],
    beside: Callable[[ItemDraft], dict[str, Any]] = lambda _draft: {},
) -> tuple[Statement, ...]:
    """Each once: a small model says the same until its list is full. `beside`: what its list has use for."""
    statements: dict[str, Statement] = {}
    for draft in drafts:
        # A citation in the sentence says nothing that `evidence` doesn't; nor does who said it.
        text = balanced(without_citations(" ".join(draft.text.split()))).replace("**", "")
        name, colon, words = text.partition(": ")
        text = words if colon and name in names else text
        statement = Statement(text=text, evidence=tuple(sorted(draft.evidence)))
        if text not in statements or not statements[text].evidence:
            statements[text] = statement.model_copy(update=beside(draft))
    return tuple(statements.values())


_SHOWN_SIZES: Final = ((12, 160), (8, 120), (5, 60))
"""So many decisions and pending items of the last summary are shown, and so many characters of each: the
first pair that fits. The others stand unseen (`with_all_of`)."""
_ELSEWHERE_SIZE: Final = (6, 120)
"""So many of the newest decisions of other topics, and characters of each: they may be changed now."""
_HINTED_CHANCE: Final = 0.7
"""A model is shown what looks like a decision or a task with such a chance: in team meetings that the weights
had not seen, 85 % of these are one (`teams` in `acts.scores.json`)."""
_NAME_CHARACTERS: Final = 60
"""Characters of a topic's name, an owner, a date that are shown."""


class SummaryPrompt:
    """Writes the prompts for summaries of topics, within the window of one model."""

    def __init__(self, tokenizer: Tokenizer, shares: Mapping[str, int]) -> None:
        """`shares`: the tokens of `transcript`, `previous_summary` and `earlier_decisions` in one prompt."""
        self._tokenizer = tokenizer
        self._span_tokens, self._previous_tokens = shares["transcript"], shares["previous_summary"]
        self._decided_tokens = shares["earlier_decisions"]

    def spans(self, utterances: Sequence[Utterance]) -> list[list[Utterance]]:
        """The utterances in spans, each short enough for one prompt; nothing is left out.

        A turn that is longer than a span is cut into pieces with its id, one in each span.
        """
        spans: list[list[Utterance]] = []
        used = 0
        for utterance in (piece for whole in utterances for piece in self._pieces(whole)):
            tokens = self._tokenizer.count(summary_line(utterance)) + 1
            if not spans or used + tokens > self._span_tokens or spans[-1][-1].id == utterance.id:
                spans.append([])
                used = 0
            spans[-1].append(utterance)
            used += tokens
        return spans

    def _pieces(self, utterance: Utterance) -> Iterator[Utterance]:
        room = self._span_tokens - 1
        while self._tokenizer.count(summary_line(utterance)) > room:
            around = self._tokenizer.count(summary_line(utterance.model_copy(update={"text": ""})))
            piece = fit(utterance.text, room - around, self._tokenizer).removesuffix(ELLIPSIS)
            if not piece:
                break
            yield utterance.model_copy(update={"text": piece})
            utterance = utterance.model_copy(
                update={"text": utterance.text[len(piece) :].lstrip(), "doubtful": ()}
            )
        yield utterance

    def messages(
        self,
        topic: str,
        previous: Summary,
        span: Sequence[Utterance],
        language: str,
        standing: Sequence[Statement],
    ) -> tuple[list[ChatMessage], dict[str, str]]:
        """The messages that ask for the topic's next summary, and by producer the text that each brought.

        `topic`: its name. `previous`: its last summary, into which `span` is folded; where that is empty, one
        is begun. `standing`: other topics' decisions.
        """
        lines = "\n".join(summary_line(utterance) for utterance in span if says_something(utterance.text))
        lines = lines or "\n".join(summary_line(utterance) for utterance in span)
        before, name = self._before(previous), quoted(topic)[:_NAME_CHARACTERS]
        decided = shared(_elsewhere(standing, span), self._decided_tokens, self._tokenizer)
        if before:
            prompt = recursive_summary_prompt(
                f"{name}\n{before}", lines, start=span[0].id, end=span[-1].id, language=language
            )
        else:
            prompt = summary_prompt(name, lines, language=language)
        # What looks like a decision or a task, so that the draft leaves none out; the guard checks it.
        settled = settling_utterances(split_utterances(span), _HINTED_CHANCE)
        hint = looks_like(settled["decision"], settled["task"], language=language)
        messages = [
            ChatMessage(role="system", content=summary_system(language)),
            ChatMessage(role="user", content=prompt + hint + decided_before(decided, language=language)),
        ]
        brought = {
            "transcript": lines,
            "previous_summary": before,
            "earlier_decisions": "\n".join(decided),
        }
        return messages, brought

    def _before(self, previous: Summary) -> str:
        """The last summary in words, within its bound."""
        text = ""
        for most, characters in _SHOWN_SIZES:
            text = _in_words(newest(previous, most), characters)
            if self._tokenizer.count(text) <= self._previous_tokens:
                return text
        return fit(text, self._previous_tokens, self._tokenizer)


def _elsewhere(standing: Sequence[Statement], span: Sequence[Utterance]) -> list[str]:
    """The statements that share a seldom word with the talk: what nobody spoke of, nobody changed."""
    spoken = frozenset().union(*(matter(utterance.text) for utterance in span))
    most, characters = _ELSEWHERE_SIZE
    near = [
        statement
        for statement in standing
        if statement.evidence
        and any(rarity(word) >= SELDOM_RARITY for word in matter(statement.text) & spoken)
    ]
    return [f"- {_statement_line(statement, characters)}" for statement in near[-most:]]


def _in_words(summary: Summary, characters: int) -> str:
    """The previous summary for the prompt, with its citations; of each statement so many characters."""
    parts = (
        ("summary", summary.sentences),
        ("key_points", summary.key_points),
        ("decisions", summary.decisions),
        ("pending", summary.pending),
    )
    lines: list[str] = []
    for heading, statements in parts:
        if statements:
            lines.append(f"{heading}:")
            lines.extend(f"- {_statement_line(statement, characters)}" for statement in statements)
    return "\n".join(lines)


def _statement_line(statement: Statement, characters: int) -> str:
    details = "".join(
        f" ({label}: {quoted(value)[:_NAME_CHARACTERS]})"
        for label, value in (("owner", statement.owner), ("due", statement.due), ("status", statement.status))
        if value
    )
    citations = "".join(f"[#{id_}]" for id_ in statement.evidence)
    text = quoted(statement.text)
    shown = text if len(text) <= characters else f"{text[:characters]}{ELLIPSIS}"
    return f"{shown}{details} {citations}"
