"""Summaries without a language model: from a topic's last summary and new talk to its next (`summarise`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.budgets.tokens import EstimateTokenizer, fit
from context.evidence.facts import facts, matter, normal
from context.language.addressing import DEFAULT_WAKE_WORDS, without_wake_word
from context.language.spoken_sentences import SpokenSentence, split_utterances
from context.models import Statement, Summary, Utterance
from context.people.exchanges import is_nod
from context.plain.dialogue import Dialogue, dialogue_of
from context.plain.mentions import NAMING_RARITY, is_pronoun
from context.plain.noteworthy import noteworthy
from context.plain.statements import add_statements
from context.reading.acts import is_courtesy
from context.reading.replacing import rarity
from context.retrieval.evidence import importance, likeness
from context.statements.ledger import Ledger, contradictions_in, still_open
from context.statements.summary_merge import beside, quotes_of, without_quotes
from context.statements.voices import in_lines
from context.topics.phrases.cues import keywords

MAX_SENTENCES: Final = 5
MAX_KEY_POINTS: Final = 5
_REGARDED_STATEMENTS: Final = 200
"""A summary's text is chosen among so many of the newest decisions, for each is compared with each."""
_ALIKE_LIKENESS: Final = 0.5
"""Only one of two statements that are alike by so much is chosen."""
_HEAD_START_WEIGHT: Final = 0.2
"""Added to the weight of what the last summary said."""
_TOKENS: Final = EstimateTokenizer()


def summarise(
    previous: Summary,
    utterances: Sequence[Utterance],
    *,
    language: str = "auto",  # noqa: ARG001 -- a model's would be written in it
    max_tokens: int = 500,
    before: Sequence[Utterance] = (),
    standing: Sequence[Statement] = (),
    wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
) -> Summary:
    """Fold `utterances` into `previous`. Deterministic; every statement is a quote with its evidence.

    No decision and no pending item of `previous` is lost; `text` counts at most `max_tokens`. Quotes are
    in the language in which they were said, whatever `language` says. `before`: the last that `previous`
    covers, so that a yes is heard with what it answers. `standing`: decisions of other topics, to notice
    what changes or contradicts them. `wake_words`: what is said to the agent is not the meeting's business.
    """
    ledger = Ledger(list(previous.decisions), list(previous.pending), standing[-_REGARDED_STATEMENTS:])
    heard, said = split_utterances(before), split_utterances(utterances)
    names = tuple(dict.fromkeys(utterance.speaker_name for utterance in (*before, *utterances)))
    dialogue = dialogue_of([*heard, *said])
    found = add_statements(ledger, dialogue, known=len(heard), names=names, wake_words=wake_words)
    taken = {place - len(heard) for place in found}
    of_the_meeting = [
        not is_courtesy(sentence.text) and without_wake_word(sentence.text, wake_words) is None
        for sentence in said
    ]
    plain = [
        place
        for place, each in enumerate(said)
        if of_the_meeting[place] and place not in taken and _is_telling(each.text)
    ]
    told = [len(heard) + place for place in plain if "?" not in said[place].text]
    quotes = [_quote(dialogue, point) for point in noteworthy(dialogue, told)]
    points = _settling_nothing([*previous.key_points, *quotes], ledger)
    best = _best_of(previous, points, ledger) or _stand_in(ledger.pending, said, wake_words)
    sentences = _fitting(best, max_tokens)
    newest = ledger.decisions[-_REGARDED_STATEMENTS:]
    against = contradictions_in([said[place] for place in plain], (*standing, *newest))
    return Summary(
        text=" ".join(statement.text for statement in sentences),
        sentences=tuple(sentences),
        key_points=tuple(_weightiest(points, MAX_KEY_POINTS, kept=previous.key_points)),
        decisions=tuple(ledger.decisions),
        pending=tuple(ledger.pending),
        contradictions=still_open(previous.contradictions, against, ledger.decisions),
        participants=tuple(dict.fromkeys([*previous.participants, *(u.speaker_id for u in utterances)])),
        keywords=keywords(
            (each.text for place, each in enumerate(said) if of_the_meeting[place]),
            previous.keywords,
            names=set(names),
        ),
    )


def with_rest(notes: Summary, rest: Sequence[Utterance], *, read: bool) -> Summary:
    """A topic's summary with the `rest`, which was said since.

    `read`: a model wrote it; then its text stays as it is, and quotes of the rest stand beside it.
    """
    if not read:
        return summarise(notes, rest)
    quotes = summarise(quotes_of(notes), rest)
    whole = beside(without_quotes(notes), quotes)
    return whole.model_copy(update={"key_points": (*without_quotes(notes).key_points, *quotes.key_points)})


def _best_of(previous: Summary, points: Sequence[Statement], ledger: Ledger) -> list[Statement]:
    """The statements of the next text: of the last one, of the key points and of the newest decisions."""
    # Without key points and decisions the last text is a sentence that only stood in for them.
    former = previous.sentences if previous.key_points or previous.decisions else ()
    newest = ledger.decisions[-_REGARDED_STATEMENTS:]
    decided = [each.model_copy(update={"status": None}) for each in newest if each.status != "superseded"]
    telling = _settling_nothing([*former, *points], ledger)
    return _weightiest([*telling, *decided], MAX_SENTENCES, kept=(*previous.sentences, *decided))


def _stand_in(
    pending: Sequence[Statement], said: Sequence[SpokenSentence], agent: Sequence[str]
) -> list[Statement]:
    """The statement that stands for talk without decisions and points: a task, else the longest sentence."""
    if pending:
        return [pending[-1].model_copy(update={"status": None, "kind": None})]
    told = [each for each in said if not is_nod(each.text) and without_wake_word(each.text, agent) is None]
    longest = sorted(told, key=lambda each: (is_courtesy(each.text), -len(each.text)))[:1]
    return [Statement(text=each.text, evidence=(each.utterance.id,)) for each in longest]


def _quote(dialogue: Dialogue, point: Sequence[int]) -> Statement:
    parts = [dialogue.sentences[place] for place in point]
    evidence = tuple(dict.fromkeys(part.utterance.id for part in parts))
    return Statement(text=in_lines(parts), evidence=evidence)


def _settling_nothing(statements: Sequence[Statement], ledger: Ledger) -> list[Statement]:
    """Each of `statements` once, without those that are decisions or pending items."""
    points: dict[str, Statement] = {}
    for each in statements:
        points.setdefault(normal(each.text), each)
    for statement in (*ledger.decisions[-_REGARDED_STATEMENTS:], *ledger.pending[-_REGARDED_STATEMENTS:]):
        points.pop(normal(statement.text), None)
    return list(points.values())


def _is_telling(text: str) -> bool:
    """Whether a sentence names a seldom thing, a day or a figure: "Sure, will do" tells nothing alone."""
    return bool(facts(text)) or any(
        rarity(word) >= NAMING_RARITY and not is_pronoun(word) for word in matter(text)
    )


def _weightiest(candidates: Sequence[Statement], limit: int, kept: Sequence[Statement]) -> list[Statement]:
    """The weightiest statements, no two alike, in order of time; those in `kept` have a head start."""
    before = {normal(statement.text) for statement in kept}
    weights = importance([statement.text for statement in candidates])
    ranked = sorted(
        range(len(candidates)),
        key=lambda i: (-weights[i] - _HEAD_START_WEIGHT * (normal(candidates[i].text) in before), i),
    )
    chosen: list[int] = []
    for i in ranked:
        if len(chosen) >= limit:
            break
        if weights[i] > 0 and all(
            likeness(candidates[i].text, candidates[c].text) < _ALIKE_LIKENESS for c in chosen
        ):
            chosen.append(i)
    return [candidates[i] for i in sorted(chosen, key=lambda i: (min(candidates[i].evidence, default=0), i))]


def _fitting(statements: Sequence[Statement], max_tokens: int) -> list[Statement]:
    """Whole sentences while they fit; a first one that is too long is cut."""
    kept: list[Statement] = []
    for statement in statements:
        text = " ".join([*(each.text for each in kept), statement.text])
        if _TOKENS.count(text) <= max_tokens:
            kept.append(statement)
    if not kept and statements and (short := fit(statements[0].text, max_tokens, _TOKENS)):
        kept = [statements[0].model_copy(update={"text": short})]
    return kept
