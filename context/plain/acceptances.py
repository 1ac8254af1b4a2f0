"""Acceptances: what somebody says yes to in a dialogue, and what is no decision, though it sounds like one.

"Works for me" is a decision of what was proposed before it; a nod to a joke, or to a question that somebody
left open, is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.evidence.facts import facts, names_another
from context.people.exchanges import is_nod
from context.plain.antecedents import antecedent_of, is_elliptical, with_antecedents
from context.plain.dialogue import NEAR_SENTENCES, SENTENCES_BACK, SURE_LOG_ODDS, Dialogue
from context.plain.mentions import (
    is_bare_heading,
    is_broken_off,
    named_things,
    only_agrees,
    refers_back,
)
from context.reading.acts import ACTS
from context.retrieval.answer_kinds import gives, kind_asked

_COURTESY, _TASK = ACTS.index("courtesy"), ACTS.index("task")
_ACCEPTANCE, _REJECTION = ACTS.index("acceptance"), ACTS.index("rejection")
_PROPOSAL, _DECISION = ACTS.index("proposal"), ACTS.index("decision")
_NO_ACT_LOG_ODDS: Final = -2.0
"""Log odds below which a sentence does none of the acts by its own words."""
_MIN_ACCEPTANCE_LOG_ODDS: Final = -0.1
"""The least log odds of an acceptance or a decision, where no pronoun refers to the proposal."""
_ACCEPTING_CHANCE, _ACCEPTING_CHANCE_WITH_PRONOUN = 0.4, 0.25
"""The least chance of a decision that accepts another's proposal: without a pronoun for it, with one."""
_LIKELY_CHANCE: Final = 0.5
"""The chance from which on a sentence that takes up a decision decides the same once more."""
_SURE_CHANCE: Final = 0.8
"""The chance from which on a sentence that takes up another one surely decides, however short it is."""
_SETTLING_COLUMNS: Final = [ACTS.index(act) for act in ("decision", "task", "proposal")]
"""The columns of the acts to which a nod is a decision."""


def acceptance_threshold(dialogue: Dialogue, place: int) -> float | None:
    """The least chance of a decision that accepts what somebody else has put; None: it accepts nothing.

    "그날로 하시죠" has a pronoun for a day, a figure or a proposal; "Works for me" needs a proposal with
    a day or figure. A sure acceptance of a sure proposal is one whatever else is likely.
    """
    text, own, accepts = (
        dialogue.sentences[place].text,
        dialogue.acts.log_odds[place],
        dialogue.acceptance_log_odds(place),
    )
    least = _NO_ACT_LOG_ODDS if (points := refers_back(text)) else _MIN_ACCEPTANCE_LOG_ODDS
    if dialogue.asks(place) or max(accepts, own[_DECISION]) <= max(least, own[_REJECTION]):
        return None
    before = antecedent_of(dialogue, place) if is_elliptical(dialogue, place) else None
    if (
        before is None
        or dialogue.sentences[before].utterance.speaker_id == dialogue.sentences[place].utterance.speaker_id
    ):
        return None
    if any(dialogue.is_proposing_question(each) for each in range(before + 1, place)):
        return None  # something else has been put
    put, asks = dialogue.acts.log_odds[before, _PROPOSAL], dialogue.sentences[before].text
    if names_another(facts(text), facts(asks)):
        return None  # "So three hundred are missing" says something else of it
    # A heading stands for what was put of its matter: "We could close in May." – "The kiosk, then?"
    named = any(facts(dialogue.sentences[each].text) for each in with_antecedents(dialogue, before))
    if _surely_accepts(dialogue, place, before):
        return 0.0 if named or named_things(asks) else None
    if points and (put > 0 or named):
        return _ACCEPTING_CHANCE_WITH_PRONOUN
    return _ACCEPTING_CHANCE if put > 0 and named else None


def _surely_accepts(dialogue: Dialogue, place: int, before: int) -> bool:
    """Whether a sentence surely accepts the sure proposal at `before`, or only agrees to it."""
    put = float(dialogue.acts.log_odds[before, _PROPOSAL])
    if only_agrees(dialogue.sentences[place].text):
        return put > 0
    asks = dialogue.asks(before)
    return asks and min(dialogue.acceptance_log_odds(place), put) >= SURE_LOG_ODDS


def acceptance_of(dialogue: Dialogue, place: int, *, task: bool = False, nods: bool = True) -> int | None:
    """The place of the sentence in which somebody else accepts this one.

    None where somebody rejects it first, or proposes something else. `task`: the sentence gives one out,
    and whoever takes it on accepts it. `nods`: whether a mere nod is an acceptance.
    """
    speaker = dialogue.sentences[place].utterance.speaker_id
    for behind in range(place + 1, min(len(dialogue.sentences), place + 1 + SENTENCES_BACK)):
        own = dialogue.acts.log_odds[behind]
        accepts = dialogue.acceptance_log_odds(behind)
        if (
            task
            and own[_TASK] > accepts
            and is_elliptical(dialogue, behind)
            and antecedent_of(dialogue, behind) == place
        ):
            accepts = own[_TASK]
        if dialogue.sentences[behind].utterance.speaker_id != speaker and max(accepts, own[_REJECTION]) > 0:
            return (
                behind
                if accepts > own[_REJECTION] and (nods or not is_nod(dialogue.sentences[behind].text))
                else None
            )
        if _proposes_another(dialogue, behind, place):
            return None  # that is what is accepted
    return None


def answer_to(dialogue: Dialogue, place: int) -> int | None:
    """The place of somebody else's answer right behind a question that surely settles something, or None.

    "Do we go on opening late?" – "No." decides, though nobody accepts anything.
    """
    if not dialogue.asks(place) or dialogue.acts.chances[place, 0] < _SURE_CHANCE:
        return None
    speaker = dialogue.sentences[place].utterance.speaker_id
    for behind in range(place + 1, min(len(dialogue.sentences), place + 1 + NEAR_SENTENCES)):
        if dialogue.sentences[behind].utterance.speaker_id != speaker:
            return None if dialogue.asks(behind) else behind
    return None


def _proposes_another(dialogue: Dialogue, place: int, put: int) -> bool:
    """Whether a sentence proposes something else than what was proposed before, at `put`."""
    if dialogue.turn_id(place) == dialogue.turn_id(put):
        return False
    if dialogue.asks(place) and not dialogue.is_proposing_question(place):
        return bool(named_things(dialogue.sentences[place].text)) and not is_elliptical(dialogue, place)
    puts = dialogue.acts.log_odds[place, _SETTLING_COLUMNS].max() > 0
    return bool(puts) and (dialogue.is_proposing_question(place) or not is_elliptical(dialogue, place))


def echo(dialogue: Dialogue, place: int) -> int | None:
    """The place right behind a turn where somebody else accepts it in more than a nod, or None."""
    turn, speaker = dialogue.turn_id(place), dialogue.sentences[place].utterance.speaker_id
    behind = next(
        (n for n in range(place + 1, len(dialogue.sentences)) if dialogue.turn_id(n) != turn),
        len(dialogue.sentences),
    )
    if behind == len(dialogue.sentences) or dialogue.sentences[behind].utterance.speaker_id == speaker:
        return None
    own, text = dialogue.acts.log_odds[behind], dialogue.sentences[behind].text
    says_yes = dialogue.acceptance_log_odds(behind) > max(0.0, own[_REJECTION])
    if not is_elliptical(dialogue, behind) or is_nod(text):
        return None
    decides_too = (
        dialogue.acts.chances[behind, 0] >= _LIKELY_CHANCE and antecedent_of(dialogue, behind) == place
    )
    return behind if says_yes or decides_too else None


def decides_nothing(dialogue: Dialogue, place: int, lines: Sequence[int]) -> bool:
    """Whether a likely decision is none: it breaks off, names no matter, or accepts what nobody proposed.

    What was left open is no proposal. `lines`: its own place behind those of its antecedents.
    """
    text = dialogue.sentences[place].text
    if is_broken_off(text):
        return True
    if _is_mere_heading(dialogue, place, lines):
        return True
    if len(lines) > 1 and dialogue.acts.chances[place, 0] >= _SURE_CHANCE:
        return False
    if len(lines) == 1:
        return not facts(text) and (dialogue.is_short(place) or not named_things(text))
    own, before = dialogue.acts.log_odds[place], [each for each in lines if each != place]
    if all(dialogue.leaves_open(each) for each in before):
        return True
    put = [dialogue.sentences[each].text for each in before]
    settles = max(own[_DECISION], dialogue.acceptance_log_odds(place)) > 0
    takes_up = settles and refers_back(text) and any(named_things(each) or facts(each) for each in put)
    return not (dialogue.is_informative(place) or takes_up) and _is_mere_nod(dialogue, place, before)


def _is_mere_nod(dialogue: Dialogue, place: int, before: Sequence[int]) -> bool:
    """Whether a sentence does nothing but nod to antecedents that settle nothing or are too far away."""
    own, text = dialogue.acts.log_odds[place], dialogue.sentences[place].text
    nods = int(own.argmax()) in (_COURTESY, _ACCEPTANCE, _REJECTION) or own.max() <= _NO_ACT_LOG_ODDS
    # No acceptance, and too far behind to be an answer: "없습니다" is said of something else.
    far = (
        place - before[-1] > NEAR_SENTENCES
        and dialogue.acceptance_log_odds(place) <= 0
        and not refers_back(text)
    )
    return bool(
        nods and (far or all(dialogue.acts.log_odds[each, _SETTLING_COLUMNS].max() <= 0 for each in before))
    )


def _is_mere_heading(dialogue: Dialogue, place: int, lines: Sequence[int]) -> bool:
    """Whether the lines are a heading, and at most an acceptance of it.

    A question before it may ask for something else: "Who has the list?" – "So the garden wall."
    """
    asked, text = dialogue.question_before(place), dialogue.sentences[place].text
    if asked is not None and is_bare_heading(text):
        kind = kind_asked(dialogue.sentences[asked].text)
        if kind is not None and not gives(kind, text):
            return True
    says_yes = int(dialogue.acts.log_odds[place].argmax()) in (_ACCEPTANCE, _COURTESY)
    telling = [dialogue.sentences[each].text for each in lines if each != place or not says_yes]
    return not any(map(facts, telling)) and all(map(is_bare_heading, telling or [text]))
