"""Writes a summary of a thread: by a language model where there is one, else of the thread's own sentences.

A model's summary cites nothing, so each of its sentences is compared with all messages at once. It is kept if
its figures, days and names are in them, it has no mention, link or call that is not, and a good part of its
words is theirs. What it means nobody verifies here, so a prompt says that the thread is no evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pydantic import BaseModel

from context.budgets.tokens import EstimateTokenizer, fit
from context.events.message import SUMMARY_CHARS, Message, line_of, truncated
from context.evidence.claim_parts import own_words
from context.evidence.claim_words import comparable, forms_stand, names_stand, same_script, stems
from context.evidence.figures import days_heard
from context.language.edits import EDIT_MARK
from context.language.korean import has_hangul, language_of
from context.language.numbers import heard, stated
from context.language.questions import is_question, is_request, sentences
from context.ports import ChatMessage, LanguageModel, Tokenizer, Unavailable
from context.primitives.text import fenced, one_line
from context.prompts.json_replies import read, schema_of
from context.prompts.json_shapes import UnreadableJson
from context.prompts.thread_prompts import summary_prompt
from context.retrieval.evidence import importance
from context.statements.verdicts import NothingStands

MAX_SUMMARY_TOKENS: Final = 1_024
"""Most tokens that a model may write (seed 003)."""
EXTRACTIVE: Final = "extractive"
_SHARES: Final[Mapping[str, int]] = {"previous_summary": 3_000, "thread": 3_000}
"""Most tokens of the last summary in a prompt, and of the thread's messages, by default."""
_LENGTH_SLACK: Final = 1.5
"""A model's text that is longer than the target times this is cut at a sentence."""
_LIMITS: Final = (SUMMARY_CHARS, 1_500, 750, 300, 100)
"""Characters per message, tried one after the other until the prompt fits."""
_LEAST_CHARS: Final = 40
"""Least length to which a text is cut."""
_ANSWERED_WEIGHT: Final = 1.0
_ASKED_WEIGHT: Final = 0.2
"""What is added to the weight of an answer's and of a question's first sentence."""
_LEAST_SHARE: Final = 0.4
"""Least share of a sentence's own words that must stand in the messages: a summary paraphrases."""
_TELLING: Final = (
    "user users assistant agent asked asks question questions answer answers answered wanted know discussed"
    " summary conversation 사용자 비서 질문 물었다 답변 답은 답했다 대화 요약 문의했다 논의했다"
)
"""Words by which any conversation is told: they need not stand in the messages."""
_LABELS: Final = ("질문: ", "Asked: ")
_BLANK: Final = re.compile(r"[\s\x00-\x1f\x7f\u2028\u2029]+")
_TIME: Final = rf"\*\*([^*\n]{{1,80}})\*\*\s*\(\d{{1,2}}:\d{{2}}(?::\d{{2}})?\)(?:\s*{EDIT_MARK})?"
_HEADING: Final = re.compile(r"\*\*[^*]+\*\*|#+ .*")
_SAID_BY: Final = re.compile(_TIME + r"[:：]\s*")
_ATTRIBUTION: Final = re.compile(rf"\s*{_TIME}|\[#\d+\]")
"""Who said a quote and when, and citations: they are taken out, but for the name before a quote."""


class _Draft(BaseModel, extra="forbid"):  # no docstring: it would be sent with each request
    summary: str


class NoSummary(Unavailable):
    """The model sent something that is not a summary in the form that was asked for."""


async def generate_summary(
    messages: Sequence[Message],
    target_length: int,
    *,
    model: LanguageModel | None = None,
    previous: str = "",
    merge: bool = False,
    language: str = "auto",
    tokenizer: Tokenizer | None = None,
    most: int | None = None,
    shares: Mapping[str, int] = _SHARES,
    on_prompt: Callable[[Sequence[ChatMessage], Mapping[str, str]], None] = lambda _messages, _shown: None,
) -> str:
    """A summary of about `target_length` characters (seed 001); without a model, of the thread's sentences.

    `previous`: the last summary. The new one goes on from it and does not repeat it; with `merge`, or
    without `messages`, it includes what that one says.

    `most`: characters that it never exceeds, whatever the target, because its originals have no more.
    `language`: `ko`, `en`, or `auto` for that of the messages. `shares`: most tokens of the last summary in
    the prompt, and (their sum) of the prompt, counted by `tokenizer` or an estimate. `on_prompt` is called
    with the prompt that is sent, and its texts by producer.

    Sentences of the model that the messages do not bear out are left out. Raises as `LanguageModel` does;
    `Unavailable` where the messages do not fit, `NoSummary` where the model sends no summary,
    `NothingStands` where none of its sentences stands, or its first one is longer than `most`.
    """
    if model is None:
        carried = previous if merge or not messages else ""
        return extract_summary(messages, target_length, previous=carried, most=most)
    tongue = language_of(previous + " ".join(message.content for message in messages), language)
    counter = tokenizer or EstimateTokenizer()
    prompt_tokens = sum(shares.values())
    before = fit(_quoted(previous), shares["previous_summary"], counter)
    for limit in _LIMITS:
        lines = "\n".join(_quoted(line_of(message, limit)) for message in messages)
        prompt = summary_prompt(lines, before, target=target_length, language=tongue, merge=merge)
        if counter.count(prompt) <= prompt_tokens:
            break
    else:
        raise Unavailable(f"{len(messages)} messages do not fit into {prompt_tokens} tokens")
    asked = [ChatMessage(role="user", content=prompt)]
    on_prompt(asked, {"previous_summary": before, "thread": lines})
    answer = await model.structured(
        asked, schema=schema_of(_Draft), name="thread_summary", max_tokens=MAX_SUMMARY_TOKENS
    )
    text = _standing(_summary_in(answer), messages, previous, tongue)
    if most is not None and len(next(iter(sentences(text)), text)) > most:
        raise NothingStands("the model's summary is longer than what it summarises")
    text = shortened(text, int(target_length * _LENGTH_SLACK), most=most)
    return filled(text, previous, _bounded(target_length, most)) if merge or not messages else text


def filled(text: str, previous: str, limit: int) -> str:
    """A merge with sentences of `previous` behind it, as far as `limit` characters have room for them.

    Those come first whose figures it has left out: a model that was given room for more forgets these.
    """
    known = stated(text)
    pieces = [piece for piece in dict.fromkeys(_pieces(previous)) if piece not in text]
    lost = [bool(stated(piece) - known) for piece in pieces]
    weights = importance(pieces)
    ranked = sorted(range(len(pieces)), key=lambda i: (not lost[i], -weights[i], i))
    return " ".join([text, *_that_fit(pieces, ranked, limit - len(text))])


def _that_fit(pieces: Sequence[str], ranked: Sequence[int], room: int) -> list[str]:
    """The pieces that `room` characters hold with a blank each, in order; `ranked`: places, best first."""
    chosen: list[int] = []
    for place in ranked:
        if len(pieces[place]) < room:
            chosen.append(place)
            room -= len(pieces[place]) + 1
    return [pieces[place] for place in sorted(chosen)]


def extract_summary(
    messages: Sequence[Message], target_length: int, *, previous: str = "", most: int | None = None
) -> str:
    """The weightiest sentences of `previous` and the messages, in order, within the target; "" for none.

    Deterministic. The first sentence of each answer weighs more, then that of each question. Tool results are
    left out: what mattered in them stands in the answer. `most`: characters that it never exceeds.
    """
    limit = _bounded(target_length, most)
    weighted = [(piece, _ANSWERED_WEIGHT if messages else 0.0) for piece in _pieces(previous)]
    for message in messages:
        if message.role not in ("user", "assistant") or message.tool_calls:
            continue
        for place, piece in enumerate(_pieces(truncated(message.content, SUMMARY_CHARS))):
            if place:
                weighted.append((piece, 0.0))
            elif message.role == "assistant":
                weighted.append((piece, _ANSWERED_WEIGHT))
            elif is_question(piece) or is_request(piece):
                korean, english = _LABELS
                weighted.append(((korean if has_hangul(piece) else english) + piece, _ASKED_WEIGHT))
            else:  # what a user writes is not always a question: a statement stands as it is
                weighted.append((piece, _ASKED_WEIGHT))
    starts: dict[str, float] = {}
    for piece, start in weighted:
        starts.setdefault(piece, start)  # nothing twice; the first time counts
    pieces = list(starts)
    if not pieces:
        return ""
    weights = importance(pieces)
    ranked = sorted(range(len(pieces)), key=lambda i: (-weights[i] - starts[pieces[i]], i))
    chosen = _that_fit(pieces, ranked, limit + 1)
    if not chosen:
        best = pieces[ranked[0]]
        if len(best) > limit:
            for label in _LABELS:
                best = best.removeprefix(label)
        return truncated(best, limit)
    return " ".join(chosen)


def shortened(text: str, limit: int, *, most: int | None = None) -> str:
    """The first sentences of `text` within `limit` and `most` characters; a first one that is long is cut."""
    limit = _bounded(limit, most)
    if len(text) <= limit:
        return text
    short = ""
    for sentence in sentences(text):
        longer = f"{short} {sentence}".strip()
        if len(longer) > limit:
            break
        short = longer
    return short or truncated(text, limit)


def _bounded(limit: int, most: int | None) -> int:
    """`limit`, or `_LEAST_CHARS` if that is more, but never above `most`."""
    limit = max(limit, _LEAST_CHARS)
    return limit if most is None else min(limit, most)


def _pieces(text: str) -> list[str]:
    """The sentences of a message, without times and citations, and without headings and lead-ins."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    content_lines = [
        line for line in lines if not (line.endswith((":", "：")) or _HEADING.fullmatch(line))
    ] or lines
    sentence_pieces: list[str] = []
    for line in content_lines:
        bare = _ATTRIBUTION.sub("", _SAID_BY.sub(r"\1: ", line))
        pieces = (one_line(piece.strip(" >-\t")) for piece in sentences(bare))
        sentence_pieces += [piece for piece in pieces if any(char.isalpha() for char in piece)]
    return sentence_pieces


def _quoted(text: str) -> str:
    """`text` on one line, as data for a block of a prompt."""
    return fenced(_BLANK.sub(" ", text).strip())


def _summary_in(answer: str) -> str:
    """The summary in a model's answer, a JSON object. Raises `NoSummary`."""
    try:
        text = read(answer, _Draft).found.summary
    except UnreadableJson:
        text = ""
    if not text.strip():
        raise NoSummary("the model sent no summary of the thread")
    return "\n".join(map(one_line, text.splitlines()))


def _standing(text: str, messages: Sequence[Message], previous: str, language: str) -> str:
    """The sentences of `text` that stand. Raises `NothingStands`."""
    source = "\n".join((previous, *(f"{message.name}: {message.content}" for message in messages)))
    words = stems(f"{source}\n{_TELLING}")
    counts = {float(number) for number in range(len(messages) + 1)}  # as in "six questions"
    figures = heard(source) | counts
    standing = [
        sentence
        for sentence in sentences(text)
        if forms_stand(sentence, source)
        and stated(sentence) <= figures
        and days_heard(sentence, source)
        and names_stand(sentence, source, ())
        and _is_about(sentence, words, source, language)
    ]
    if not standing:
        raise NothingStands("nothing that the model's summary of the thread says stands in its messages")
    return " ".join(standing)


def _is_about(sentence: str, words: frozenset[str], source: str, language: str) -> bool:
    """Whether a good part of a sentence's words is among `words`, those of the messages `source`."""
    if not same_script(sentence, source):
        return comparable(sentence, source, language)
    own = own_words(sentence)
    return len(own & words) >= _LEAST_SHARE * len(own)
