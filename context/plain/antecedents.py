"""Antecedents: which sentences of a dialogue can't be read alone, and what they refer to.

"그렇게 확정할게요" and "I'll call them tomorrow" tell nothing without what was said before: such a sentence
is elliptical, names no thing of its own, or has a pronoun in its place. Its antecedent is the question that
somebody has just asked, the sentence before it in its turn, or the likeliest proposal; where that one is
elliptical itself, its own antecedent is read with it.
"""

from __future__ import annotations

import math
from typing import Final

from context.evidence.facts import facts, matter
from context.language.dates import moments_in
from context.language.first_person import says_i
from context.language.meeting_again import names_it
from context.plain.dialogue import MIN_CONTENT_WORDS, NEAR_SENTENCES, SENTENCES_BACK, Dialogue
from context.plain.mentions import (
    NAMING_RARITY,
    has_pronoun,
    is_heading,
    is_pronoun,
    may_name,
    named_things,
    opens_by_referring_back,
)
from context.reading.acts import ACTS
from context.reading.aligning import SAME_WORD_SIMILARITY, bigram_similarity
from context.reading.changing import gives_up_value, replaces_own_value
from context.reading.note_words import noting_log_odds
from context.reading.replacing import rarity
from context.retrieval.index_terms import words

_MAX_OPEN_WORDS: Final = 7
"""What leaves a question open in at most so many words, and names nothing of it, refers to it."""
_MAX_FURTHER_QUESTION_WORDS: Final = 3
"""Words, at most, of a question that goes on with the one before it."""
_HEADING_SENTENCES_BACK: Final = 12
"""So many sentences before a heading are searched for a proposal on its matter."""
_MAX_LINKED_SENTENCES: Final = 3
"""So many sentences are told together at most: one, its antecedent, and the antecedent of that."""
_LOG_ODDS_LOST_PER_SENTENCE: Final = 0.25
"""Log odds that an antecedent loses for each sentence that it is farther back."""
_SAME_TURN_LOG_ODDS, _QUESTION_LOG_ODDS = 1.0, 3.0
"""Log odds that a sentence gains as an antecedent if it stands right before in the same turn, and if it is a
question that somebody else has just asked."""
_SAME_MATTER_LOG_ODDS: Final = 1.0
"""Log odds that a sentence gains as an antecedent if it names something that the elliptical one names."""
_MIN_NEAR_LOG_ODDS: Final = -1.0
"""The least log odds of these two, before the gain is added."""
_MIN_ANTECEDENT_LOG_ODDS: Final = -2.5
"""The least log odds of an antecedent."""
_PROPOSAL, _REJECTION, _TASK = (ACTS.index(act) for act in ("proposal", "rejection", "task"))
_DECIDED_CHANCE: Final = 0.65
"""The least chance of a decision to which an acceptance right behind it is said."""
_PROPOSING_COLUMNS: Final = [ACTS.index(act) for act in ("decision", "proposal")]
"""The columns of the acts that a heading comes back to."""
_ANSWERABLE_COLUMNS: Final = [ACTS.index(act) for act in ("decision", "task", "open", "proposal")]
"""The columns of the acts that somebody may answer, or come back to."""


def is_elliptical(dialogue: Dialogue, place: int) -> bool:
    """Whether a sentence can't be read without what was said before it."""
    text = dialogue.sentences[place].text
    if names_it(text) and moments_in(text):
        return False  # when the people meet next is no answer to whatever was asked before
    if place and _asks_on(dialogue, place):
        return True
    if dialogue.is_short(place) or (is_heading(text) and _proposal_for_heading(dialogue, place) is not None):
        return True
    named = named_things(text)
    pronoun = opens_by_referring_back(text) if facts(text) else has_pronoun(text)
    if not named or (pronoun and len(named) < MIN_CONTENT_WORDS):
        return True
    if dialogue.leaves_open(place) and (
        _names_no_matter(dialogue, place)
        or (len(words(text)) <= _MAX_OPEN_WORDS and opens_by_referring_back(text))
    ):
        return True
    return len(matter(text)) < MIN_CONTENT_WORDS and dialogue.question_before(place) is not None


def _names_no_matter(dialogue: Dialogue, place: int) -> bool:
    """Whether a short sentence behind a question or a heading names hardly anything."""
    text, before = dialogue.sentences[place].text, dialogue.question_before(place)
    if before is None and place and is_heading(dialogue.sentences[place - 1].text):
        before = place - 1
    many = len(words(text)) > _MAX_OPEN_WORDS or len(named_things(text)) >= MIN_CONTENT_WORDS
    if before is None or many:
        return False
    asked = matter(dialogue.sentences[before].text)
    return not any(
        bigram_similarity(one, other) >= SAME_WORD_SIMILARITY for one in matter(text) for other in asked
    )


def antecedent_of(dialogue: Dialogue, place: int) -> int | None:
    """The place of the sentence that an elliptical one refers to: the likeliest before it, or None.

    The antecedent of a heading is a proposal on the matter that it names.
    """
    if (
        is_heading(dialogue.sentences[place].text)
        and (put := _proposal_for_heading(dialogue, place)) is not None
    ):
        return put
    if (decided := _accepted_decision(dialogue, place)) is not None:
        return decided
    if place and _asks_on(dialogue, place):
        return place - 1
    if dialogue.leaves_open(place) and (matters := _left_open(dialogue, place)) is not None:
        return matters
    log_odds = _antecedent_log_odds(dialogue, place)
    candidates = (before for before in log_odds if not are_promises_of_two(dialogue, before, place))
    best = max(candidates, key=lambda before: log_odds[before], default=None)
    if best is not None and log_odds[best] > _MIN_ANTECEDENT_LOG_ODDS:
        return best
    text = dialogue.sentences[place].text
    names = facts(text) or (dialogue.is_informative(place) and not opens_by_referring_back(text))
    return None if names and not dialogue.is_short(place) else _naming_before(dialogue, place)


def _antecedent_log_odds(dialogue: Dialogue, place: int) -> dict[int, float]:
    """The log odds, by place, that each of the sentences before is the antecedent of a sentence.

    One that puts a value in the place of another has no antecedent but what names that other one.
    """
    text, asked = dialogue.sentences[place].text, dialogue.question_before(place)
    changes = replaces_own_value(text)
    log_odds: dict[int, float] = {}
    for before in range(_first_candidate(dialogue, place, asked), place):
        puts = _proposal_log_odds(dialogue, before, place - before)
        in_turn = before == place - 1 and dialogue.turn_id(before) == dialogue.turn_id(place)
        near = place - before <= NEAR_SENTENCES
        is_told = in_turn and puts > 0 if not dialogue.asks(before) else near
        is_told = is_told or _puts_bare_value(dialogue, before, place)
        if dialogue.is_short(before) and not is_told:
            continue
        if in_turn or before == asked:
            puts = max(puts, _MIN_NEAR_LOG_ODDS) + (_SAME_TURN_LOG_ODDS if in_turn else _QUESTION_LOG_ODDS)
        if not matter(text).isdisjoint(matter(dialogue.sentences[before].text)):
            puts += _SAME_MATTER_LOG_ODDS
        if before != asked and changes and not gives_up_value(text, facts(dialogue.sentences[before].text)):
            continue
        if dialogue.sentences[before].text != text:
            log_odds[before] = puts - _LOG_ODDS_LOST_PER_SENTENCE * (place - before)
    return log_odds


def _puts_bare_value(dialogue: Dialogue, before: int, place: int) -> bool:
    """Whether the sentence right before is what somebody else proposes, a value alone: "A hundred."."""
    return bool(
        before == place - 1
        and dialogue.turn_id(before) != dialogue.turn_id(place)
        and dialogue.acts.log_odds[before, _PROPOSAL] > 0
        and facts(dialogue.sentences[before].text)
    )


def _first_candidate(dialogue: Dialogue, place: int, asked: int | None) -> int:
    """The place of the first sentence that may be an antecedent; `asked`: the question right before, if any.

    What somebody has just proposed or asked for stands before anything that was put earlier. So does any
    question for whoever leaves it open: "Do we want recordings?" – "I don't know". A value that somebody else
    has just named alone is what a yes is said to.
    """
    first = max(0, place - SENTENCES_BACK)
    if place and _puts_bare_value(dialogue, place - 1, place):
        return place - 1
    if asked is None:
        return first
    proposes = dialogue.is_proposing_question(asked) and not is_elliptical(dialogue, asked)
    asks_for = dialogue.acts.log_odds[asked, _TASK] > 0 or dialogue.leaves_open(place)
    return asked if proposes or (asked == place - 1 and asks_for) else first


def are_promises_of_two(dialogue: Dialogue, before: int, place: int) -> bool:
    """Whether two sentences are promises of two people, each of whom does their own: "I'll tell him"."""
    both = [dialogue.sentences[each] for each in (before, place)]
    return (
        both[0].utterance.speaker_id != both[1].utterance.speaker_id
        and all(says_i(each.text) for each in both)
        and min(dialogue.acts.log_odds[each, _TASK] for each in (before, place)) > 0
    )


def _accepted_decision(dialogue: Dialogue, place: int) -> int | None:
    """The place of what somebody else has decided, if a sentence accepts it right behind it; else None.

    Others may have accepted it in between. Nothing older is accepted by such a sentence.
    """
    if dialogue.acceptance_log_odds(place) <= max(0.0, dialogue.acts.log_odds[place, _REJECTION]):
        return None
    before = place - 1
    while (
        before > 0
        and dialogue.is_short(before)
        and dialogue.acceptance_log_odds(before) > max(0.0, dialogue.acts.log_odds[before, _REJECTION])
    ):
        before -= 1
    if before < 0 or dialogue.is_short(before) or dialogue.acts.chances[before, 0] < _DECIDED_CHANCE:
        return None
    others = dialogue.sentences[before].utterance.speaker_id != dialogue.sentences[place].utterance.speaker_id
    return before if others else None


def _asks_on(dialogue: Dialogue, place: int) -> bool:
    """Whether a question goes on with the one before it in its turn: "When do we leave? At eight?"."""
    before = place - 1
    if len(words(dialogue.sentences[place].text)) > _MAX_FURTHER_QUESTION_WORDS:
        return False
    asks = all(dialogue.asks(each) for each in (before, place))
    return asks and dialogue.turn_id(before) == dialogue.turn_id(place)


def _left_open(dialogue: Dialogue, place: int) -> int | None:
    """What a sentence leaves open: the question right before it, or the last that names a matter there.

    Small talk is passed over, and a question behind it counts as right before. What is decided is not left
    open in the next breath, and a nod or a greeting names nothing.
    """
    if (asked := dialogue.question_before(place)) is not None:
        return asked
    if (asked := _question_behind_small_talk(dialogue, place)) is not None:
        return asked
    for before in range(place - 1, max(0, place - NEAR_SENTENCES) - 1, -1):
        text, settled = dialogue.sentences[before].text, float(dialogue.acts.chances[before, :2].max())
        if settled < _DECIDED_CHANCE and any(map(may_name, words(text))):
            return before
    return None


def _question_behind_small_talk(dialogue: Dialogue, place: int) -> int | None:
    """The place of somebody else's question, if nothing but small talk stands between it and a sentence."""
    speaker = dialogue.sentences[place].utterance.speaker_id
    for before in range(place - 1, max(0, place - SENTENCES_BACK) - 1, -1):
        said = dialogue.sentences[before]
        if dialogue.asks(before):
            return before if said.utterance.speaker_id != speaker else None
        if noting_log_odds(said.text) >= 0:
            return None
    return None


def _own_question_and_answer(dialogue: Dialogue, place: int) -> list[int]:
    """A question, somebody else's answer, and the short sentence in which the asker takes it; or nothing.

    "How many?" – "Five." – "Five it is."
    """
    asked = dialogue.question_before(place)
    if asked is None or asked != place - 2 or not is_elliptical(dialogue, place):
        return []
    places = [asked, place - 1, place]
    asker, other, taker = (dialogue.sentences[each].utterance.speaker_id for each in places)
    return places if asker == taker != other else []


def _naming_before(dialogue: Dialogue, place: int) -> int | None:
    """The place of a sentence right before that names what this one may speak of, or None."""
    for before in range(place - 1, max(0, place - NEAR_SENTENCES) - 1, -1):
        text = dialogue.sentences[before].text
        if are_promises_of_two(dialogue, before, place) or dialogue.is_courtesy(before):
            continue
        if facts(text) or any(
            rarity(word) >= NAMING_RARITY and not is_pronoun(word) for word in matter(text)
        ):
            return before
    return None


def _proposal_for_heading(dialogue: Dialogue, heading: int) -> int | None:
    """The place of the likeliest proposal before a heading that names its matter, or None."""
    named = [word for word in matter(dialogue.sentences[heading].text) if rarity(word) >= NAMING_RARITY]
    log_odds: dict[int, float] = {}
    for before in range(max(0, heading - _HEADING_SENTENCES_BACK), heading):
        text = dialogue.sentences[before].text
        there = matter(text)
        if not is_heading(text) and any(
            bigram_similarity(one, other) >= SAME_WORD_SIMILARITY for one in named for other in there
        ):
            log_odds[before] = float(
                dialogue.acts.log_odds[before, _PROPOSING_COLUMNS].max()
            ) - _LOG_ODDS_LOST_PER_SENTENCE * (heading - before)
    best = max(log_odds, key=lambda before: log_odds[before], default=None)
    return best if best is not None and log_odds[best] > _MIN_ANTECEDENT_LOG_ODDS else None


def _proposal_log_odds(dialogue: Dialogue, place: int, back: int) -> float:
    """The log odds that a sentence proposes what one may refer to that stands `back` sentences behind it.

    "Open till nine, then" proposes something in its place, whatever its own words are.
    """
    own = dialogue.acts.log_odds[place]
    if back > NEAR_SENTENCES:
        return float(own[_PROPOSAL])
    puts = float(own[_ANSWERABLE_COLUMNS].max())
    if not dialogue.is_short(place):
        decided = min(max(float(dialogue.acts.chances[place, 0]), 1e-6), 1 - 1e-6)
        puts = max(puts, math.log(decided / (1 - decided)))
    return puts


def with_antecedents(dialogue: Dialogue, place: int) -> list[int]:
    """The places of a sentence and of those before it without which it can't be read, in order."""
    places = _own_question_and_answer(dialogue, place) or [place]
    while len(places) < _MAX_LINKED_SENTENCES and is_elliptical(dialogue, places[0]):
        before = antecedent_of(dialogue, places[0])
        if before is not None and dialogue.calls_for_agreement(before):
            before = antecedent_of(dialogue, before)  # what is agreed to; that it was asked for tells nothing
        if before is None:
            break
        places.insert(0, before)
        asks = dialogue.sentences[before].text
        if not dialogue.asks(before) and dialogue.leaves_open(places[1]):
            break  # it names the matter
        goes_on = before > 0 and _asks_on(dialogue, before)
        refers = has_pronoun(asks) or goes_on
        if dialogue.asks(before) and named_things(asks) and not refers:
            break
    return places
