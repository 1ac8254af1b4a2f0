"""A dialogue whose sentences refer to each other: which can't be read alone, and what their antecedents are.

"그렇게 확정할게요" and "I'll call them tomorrow" tell nothing without what was said before: such a sentence
is elliptical, names no thing of its own, or has a pronoun in its place. Its antecedent is the question that
somebody has just asked, the sentence before it in its turn, or the likeliest proposal; where that one is
elliptical itself, its own antecedent is read with it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from context.evidence.facts import facts, matter
from context.language.dates import moments_in
from context.language.meeting_again import names_it
from context.language.said import Said
from context.people.exchanges import is_nod
from context.plain.mentions import (
    NAMING_RARITY,
    has_pronoun,
    is_bare_heading,
    is_broken_off,
    is_heading,
    is_pronoun,
    may_name,
    named_things,
    only_agrees,
    opens_by_referring_back,
    refers_back,
)
from context.reading.acts import ACTS, DialogueActs, acts_of
from context.reading.aligning import SAME_WORD_SIMILARITY, bigram_similarity
from context.reading.changing import gives_up_value, replaces_own_value
from context.reading.replacing import rarity
from context.retrieval.index_terms import STOPWORDS, words

_SENTENCES_BACK: Final = 6
"""So many sentences before one are searched for its antecedent, and so many behind it for an acceptance."""
_MIN_CONTENT_WORDS: Final = 2
"""A sentence with fewer content words tells nothing alone; with a pronoun, one that names fewer things."""
_MAX_SHORT_WORDS: Final = 4
"""A sentence of at most so many words tells something only by a rare one."""
_MAX_OPEN_WORDS: Final = 7
"""What leaves a question open in at most so many words, and names nothing of it, refers to it."""
_MAX_FURTHER_QUESTION_WORDS: Final = 3
"""Words, at most, of a question that goes on with the one before it."""
_TELLING_RARITY: Final = 2.6
"""The rarity of such a word: it is said in fewer than one meeting in thirteen."""
_NEAR_SENTENCES: Final = 2
"""A question that a sentence answers is one of so many sentences before it; farther back, only a proposal is
an antecedent."""
_HEADING_SENTENCES_BACK: Final = 12
"""So many sentences before a heading are searched for a proposal on its matter."""
_MAX_LINKED_SENTENCES: Final = 3
"""So many sentences are told together at most: one, its antecedent, and the antecedent of that."""
_LOG_ODDS_LOST_PER_SENTENCE: Final = 0.25
"""Log odds that an antecedent loses for each sentence that it is farther back."""
_SAME_TURN_LOG_ODDS, _QUESTION_LOG_ODDS = 1.0, 3.0
"""Log odds that a sentence gains as an antecedent if it stands right before in the same turn, and if it is a
question that somebody else has just asked."""
_MIN_NEAR_LOG_ODDS: Final = -1.0
"""The least log odds of these two, before the gain is added."""
_MIN_ANTECEDENT_LOG_ODDS: Final = -2.5
"""The least log odds of an antecedent."""
_COURTESY, _TASK, _OPEN = ACTS.index("courtesy"), ACTS.index("task"), ACTS.index("open")
_ACCEPTANCE, _REJECTION = ACTS.index("acceptance"), ACTS.index("rejection")
_PROPOSAL, _DECISION = ACTS.index("proposal"), ACTS.index("decision")
_NO_ACT_LOG_ODDS: Final = -2.0
"""Log odds below which a sentence does none of the acts by its own words."""
_MIN_ACCEPTANCE_LOG_ODDS: Final = -0.1
"""The least log odds of an acceptance or a decision, where no pronoun refers to the proposal."""
_ACCEPTING_CHANCE, _ACCEPTING_CHANCE_WITH_PRONOUN = 0.4, 0.25
"""The least chance of a decision that accepts another's proposal: without a pronoun for it, with one."""
_SURE_LOG_ODDS: Final = 5.0
"""The log odds of a proposing question, and of an acceptance of it, from which on these are a decision."""
_DECIDED_CHANCE: Final = 0.65
"""The least chance of a decision to which an acceptance right behind it is said."""
_SETTLING_COLUMNS: Final = [ACTS.index(act) for act in ("decision", "task", "proposal")]
"""The columns of the acts to which a nod is a decision."""
_PROPOSING_COLUMNS: Final = [ACTS.index(act) for act in ("decision", "proposal")]
"""The columns of the acts that a heading comes back to."""
_ANSWERABLE_COLUMNS: Final = [ACTS.index(act) for act in ("decision", "task", "open", "proposal")]
"""The columns of the acts that somebody may answer, or come back to."""


@dataclass(frozen=True, slots=True, eq=False)
class Dialogue:
    """Sentences in order, and the acts of each; methods name a sentence by its place."""

    sentences: Sequence[Said]
    acts: DialogueActs

    def is_short(self, place: int) -> bool:
        """Whether a sentence is too short to tell anything alone: "네, 그렇게 하죠"."""
        text = self.sentences[place].text
        words_said = words(text)
        if len([word for word in words_said if word not in STOPWORDS]) < _MIN_CONTENT_WORDS:
            return True
        if len(words_said) > _MAX_SHORT_WORDS:
            return False
        nods = int(self.acts.log_odds[place].argmax()) in (_ACCEPTANCE, _COURTESY)
        return nods or not any(rarity(word) >= _TELLING_RARITY for word in matter(text))

    def is_elliptical(self, place: int) -> bool:
        """Whether a sentence can't be read without what was said before it."""
        text = self.sentences[place].text
        if names_it(text) and moments_in(text):
            return False  # when the people meet next is no answer to whatever was asked before
        if place and self._asks_on(place):
            return True
        if self.is_short(place) or (is_heading(text) and self._proposal_for_heading(place) is not None):
            return True
        named = named_things(text)
        pronoun = opens_by_referring_back(text) if facts(text) else has_pronoun(text)
        if not named or (pronoun and len(named) < _MIN_CONTENT_WORDS):
            return True
        if self.leaves_open(place) and self._names_no_matter(place):
            return True
        return len(matter(text)) < _MIN_CONTENT_WORDS and self.question_before(place) is not None

    def _names_no_matter(self, place: int) -> bool:
        """Whether a short sentence behind a question or a heading names hardly anything."""
        text, before = self.sentences[place].text, self.question_before(place)
        if before is None and place and is_heading(self.sentences[place - 1].text):
            before = place - 1
        many = len(words(text)) > _MAX_OPEN_WORDS or len(named_things(text)) >= _MIN_CONTENT_WORDS
        if before is None or many:
            return False
        asked = matter(self.sentences[before].text)
        return not any(
            bigram_similarity(one, other) >= SAME_WORD_SIMILARITY for one in matter(text) for other in asked
        )

    def is_informative(self, place: int) -> bool:
        """Whether a sentence names what it settles, a thing, a day or a figure, and is no mere acceptance."""
        text, own = self.sentences[place].text, self.acts.log_odds[place]
        says_yes = self.is_short(place) and own[_ACCEPTANCE] > max(0.0, own[_DECISION])
        return not says_yes and bool(named_things(text) or facts(text))

    def question_before(self, place: int) -> int | None:
        """The question right before a sentence, unless its speaker alone has spoken since; else None."""
        speaker = self.sentences[place].utterance.speaker_id
        others = False
        for before in range(place - 1, max(0, place - _NEAR_SENTENCES) - 1, -1):
            others = others or self.sentences[before].utterance.speaker_id != speaker
            if others and "?" in self.sentences[before].text:
                return before
        return None

    def antecedent(self, place: int) -> int | None:
        """The place of the sentence that an elliptical one refers to: the likeliest before it, or None.

        The antecedent of a heading is a proposal on the matter that it names.
        """
        if is_heading(self.sentences[place].text) and (put := self._proposal_for_heading(place)) is not None:
            return put
        if (decided := self._accepted_decision(place)) is not None:
            return decided
        if place and self._asks_on(place):
            return place - 1
        if self.leaves_open(place) and (matters := self._left_open(place)) is not None:
            return matters
        log_odds = self._antecedent_log_odds(place)
        best = max(log_odds, key=lambda before: log_odds[before], default=None)
        if best is not None and log_odds[best] > _MIN_ANTECEDENT_LOG_ODDS:
            return best
        text = self.sentences[place].text
        names = facts(text) or (self.is_informative(place) and not opens_by_referring_back(text))
        return None if names and not self.is_short(place) else self._naming_before(place)

    def _antecedent_log_odds(self, place: int) -> dict[int, float]:
        """The log odds, by place, that each of the sentences before is the antecedent of a sentence.

        One that puts a value in the place of another has no antecedent but what names that other one.
        """
        text, asked = self.sentences[place].text, self.question_before(place)
        changes = replaces_own_value(text)
        # What somebody has just proposed stands before anything that was put earlier. So does any question
        # for whoever leaves it open: "Do we want recordings?" – "I don't know".
        anew = asked is not None and self._is_proposing_question(asked) and not self.is_elliptical(asked)
        anew = anew or (asked == place - 1 and self.leaves_open(place))
        log_odds: dict[int, float] = {}
        for before in range(asked if asked is not None and anew else max(0, place - _SENTENCES_BACK), place):
            puts = self._proposal_log_odds(before, place - before)
            in_turn = before == place - 1 and self._turn_id(before) == self._turn_id(place)
            near = place - before <= _NEAR_SENTENCES
            is_told = in_turn and puts > 0 if "?" not in self.sentences[before].text else near
            if self.is_short(before) and not is_told:
                continue
            if in_turn or before == asked:
                puts = max(puts, _MIN_NEAR_LOG_ODDS) + (
                    _SAME_TURN_LOG_ODDS if in_turn else _QUESTION_LOG_ODDS
                )
            if before != asked and changes and not gives_up_value(text, facts(self.sentences[before].text)):
                continue
            if self.sentences[before].text != text:
                log_odds[before] = puts - _LOG_ODDS_LOST_PER_SENTENCE * (place - before)
        return log_odds

    def _accepted_decision(self, place: int) -> int | None:
        """The place of what somebody else has decided, if a sentence accepts it right behind it; else None.

        Others may have accepted it in between. Nothing older is accepted by such a sentence.
        """
        if self.acceptance_log_odds(place) <= max(0.0, self.acts.log_odds[place, _REJECTION]):
            return None
        before = place - 1
        while (
            before > 0
            and self.is_short(before)
            and self.acceptance_log_odds(before) > max(0.0, self.acts.log_odds[before, _REJECTION])
        ):
            before -= 1
        if before < 0 or self.is_short(before) or self.acts.chances[before, 0] < _DECIDED_CHANCE:
            return None
        others = self.sentences[before].utterance.speaker_id != self.sentences[place].utterance.speaker_id
        return before if others else None

    def _asks_on(self, place: int) -> bool:
        """Whether a question goes on with the one before it in its turn: "When do we leave? At eight?"."""
        before = place - 1
        if len(words(self.sentences[place].text)) > _MAX_FURTHER_QUESTION_WORDS:
            return False
        asks = all("?" in self.sentences[each].text for each in (before, place))
        return asks and self._turn_id(before) == self._turn_id(place)

    def _left_open(self, place: int) -> int | None:
        """What a sentence leaves open: the question right before it, or the last that names a matter there.

        What is decided is not left open in the next breath, and a nod or a greeting names nothing.
        """
        if (asked := self.question_before(place)) is not None:
            return asked
        for before in range(place - 1, max(0, place - _NEAR_SENTENCES) - 1, -1):
            text, settled = self.sentences[before].text, float(self.acts.chances[before, :2].max())
            if settled < _DECIDED_CHANCE and any(map(may_name, words(text))):
                return before
        return None

    def _naming_before(self, place: int) -> int | None:
        """The place of a sentence right before that names what this one may speak of, or None."""
        for before in range(place - 1, max(0, place - _NEAR_SENTENCES) - 1, -1):
            text = self.sentences[before].text
            if facts(text) or any(
                rarity(word) >= NAMING_RARITY and not is_pronoun(word) for word in matter(text)
            ):
                return before
        return None

    def _proposal_for_heading(self, heading: int) -> int | None:
        """The place of the likeliest proposal before a heading that names its matter, or None."""
        named = [word for word in matter(self.sentences[heading].text) if rarity(word) >= NAMING_RARITY]
        log_odds: dict[int, float] = {}
        for before in range(max(0, heading - _HEADING_SENTENCES_BACK), heading):
            text = self.sentences[before].text
            there = matter(text)
            if not is_heading(text) and any(
                bigram_similarity(one, other) >= SAME_WORD_SIMILARITY for one in named for other in there
            ):
                log_odds[before] = float(
                    self.acts.log_odds[before, _PROPOSING_COLUMNS].max()
                ) - _LOG_ODDS_LOST_PER_SENTENCE * (heading - before)
        best = max(log_odds, key=lambda before: log_odds[before], default=None)
        return best if best is not None and log_odds[best] > _MIN_ANTECEDENT_LOG_ODDS else None

    def _proposal_log_odds(self, place: int, back: int) -> float:
        """The log odds that a sentence proposes what one may refer to that stands `back` sentences behind it.

        "Open till nine, then" proposes something in its place, whatever its own words are.
        """
        own = self.acts.log_odds[place]
        if back > _NEAR_SENTENCES:
            return float(own[_PROPOSAL])
        puts = float(own[_ANSWERABLE_COLUMNS].max())
        if not self.is_short(place):
            decided = min(max(float(self.acts.chances[place, 0]), 1e-6), 1 - 1e-6)
            puts = max(puts, math.log(decided / (1 - decided)))
        return puts

    def with_antecedents(self, place: int) -> list[int]:
        """The places of a sentence and of those before it without which it can't be read, in order."""
        places = [place]
        while len(places) < _MAX_LINKED_SENTENCES and self.is_elliptical(places[0]):
            before = self.antecedent(places[0])
            if before is None:
                break
            places.insert(0, before)
            asks = self.sentences[before].text
            if "?" not in asks and self.leaves_open(places[1]):
                break  # it names the matter
            goes_on = before > 0 and self._asks_on(before)
            if "?" in asks and named_things(asks) and not (has_pronoun(asks) or goes_on):
                break
        return places

    def acceptance_threshold(self, place: int) -> float | None:
        """The least chance of a decision that accepts what somebody else has put; None: it accepts nothing.

        "그날로 하시죠" has a pronoun for a day, a figure or a proposal; "Works for me" needs a proposal with
        a day or figure. A sure acceptance of a sure proposal is one whatever else is likely.
        """
        text, own, accepts = (
            self.sentences[place].text,
            self.acts.log_odds[place],
            self.acceptance_log_odds(place),
        )
        least = _NO_ACT_LOG_ODDS if (points := refers_back(text)) else _MIN_ACCEPTANCE_LOG_ODDS
        if "?" in text or max(accepts, own[_DECISION]) <= max(least, own[_REJECTION]):
            return None
        before = self.antecedent(place) if self.is_elliptical(place) else None
        if (
            before is None
            or self.sentences[before].utterance.speaker_id == self.sentences[place].utterance.speaker_id
        ):
            return None
        if any(self._is_proposing_question(each) for each in range(before + 1, place)):
            return None  # something else has been put
        put, asks = self.acts.log_odds[before, _PROPOSAL], self.sentences[before].text
        named = bool(facts(asks))
        if self._surely_accepts(place, before):
            return 0.0 if named or named_things(asks) else None
        if points and (put > 0 or named):
            return _ACCEPTING_CHANCE_WITH_PRONOUN
        return _ACCEPTING_CHANCE if put > 0 and named else None

    def _surely_accepts(self, place: int, before: int) -> bool:
        """Whether a sentence surely accepts the sure proposal at `before`, or only agrees to it."""
        put = float(self.acts.log_odds[before, _PROPOSAL])
        if only_agrees(self.sentences[place].text):
            return put > 0
        return (
            min(self.acceptance_log_odds(place), put) >= _SURE_LOG_ODDS and "?" in self.sentences[before].text
        )

    def _is_proposing_question(self, place: int) -> bool:
        """Whether a sentence is a question that proposes something."""
        return "?" in self.sentences[place].text and bool(self.acts.log_odds[place, _PROPOSAL] > 0)

    def acceptance(self, place: int, *, task: bool = False, nods: bool = True) -> int | None:
        """The place of the sentence in which somebody else accepts this one.

        None where somebody rejects it first, or proposes something else. `task`: the sentence gives one out,
        and whoever takes it on accepts it. `nods`: whether a mere nod is an acceptance.
        """
        speaker = self.sentences[place].utterance.speaker_id
        for behind in range(place + 1, min(len(self.sentences), place + 1 + _SENTENCES_BACK)):
            own = self.acts.log_odds[behind]
            accepts = self.acceptance_log_odds(behind)
            if (
                task
                and own[_TASK] > accepts
                and self.is_elliptical(behind)
                and self.antecedent(behind) == place
            ):
                accepts = own[_TASK]
            if self.sentences[behind].utterance.speaker_id != speaker and max(accepts, own[_REJECTION]) > 0:
                return (
                    behind
                    if accepts > own[_REJECTION] and (nods or not is_nod(self.sentences[behind].text))
                    else None
                )
            if self._proposes_another(behind, place):
                return None  # that is what is accepted
        return None

    def _proposes_another(self, place: int, put: int) -> bool:
        """Whether a sentence proposes something else than what was proposed before, at `put`."""
        if self._turn_id(place) == self._turn_id(put):
            return False
        if "?" in self.sentences[place].text and not self._is_proposing_question(place):
            return bool(named_things(self.sentences[place].text)) and not self.is_elliptical(place)
        puts = self.acts.log_odds[place, _SETTLING_COLUMNS].max() > 0
        return bool(puts) and (self._is_proposing_question(place) or not self.is_elliptical(place))

    def echo(self, place: int) -> int | None:
        """The place right behind a turn where somebody else accepts it in more than a nod, or None."""
        turn, speaker = self._turn_id(place), self.sentences[place].utterance.speaker_id
        behind = next(
            (n for n in range(place + 1, len(self.sentences)) if self._turn_id(n) != turn),
            len(self.sentences),
        )
        if behind == len(self.sentences) or self.sentences[behind].utterance.speaker_id == speaker:
            return None
        own, text = self.acts.log_odds[behind], self.sentences[behind].text
        says_yes = self.acceptance_log_odds(behind) > max(0.0, own[_REJECTION])
        return behind if says_yes and self.is_elliptical(behind) and not is_nod(text) else None

    def acceptance_log_odds(self, place: int) -> float:
        """The log odds that a sentence accepts something; sure where it is no more than "let's", "그러죠"."""
        log_odds = float(self.acts.log_odds[place, _ACCEPTANCE])
        return max(log_odds, _SURE_LOG_ODDS) if only_agrees(self.sentences[place].text) else log_odds

    def is_rejection(self, place: int) -> bool:
        """Whether a sentence, more than anything else, turns down what was proposed before it."""
        return int(self.acts.log_odds[place].argmax()) == _REJECTION

    def decides_nothing(self, place: int, lines: Sequence[int]) -> bool:
        """Whether a likely decision is none: it breaks off, names no matter, or accepts what nobody proposed.

        What was left open is no proposal. `lines`: its own place behind those of its antecedents.
        """
        text = self.sentences[place].text
        if is_broken_off(text) or self._is_mere_heading(place, lines):
            return True
        if len(lines) == 1:
            return not facts(text) and (self.is_short(place) or not named_things(text))
        own, before = self.acts.log_odds[place], [each for each in lines if each != place]
        if all(self.leaves_open(each) for each in before):
            return True
        put = self.sentences[before[-1]].text
        takes_up = own[_DECISION] > 0 and refers_back(text) and (named_things(put) or facts(put))
        return not (self.is_informative(place) or takes_up) and self._is_mere_nod(place, before)

    def _is_mere_nod(self, place: int, before: Sequence[int]) -> bool:
        """Whether a sentence does nothing but nod to antecedents that settle nothing or are too far away."""
        own, text = self.acts.log_odds[place], self.sentences[place].text
        nods = int(own.argmax()) in (_COURTESY, _ACCEPTANCE, _REJECTION) or own.max() <= _NO_ACT_LOG_ODDS
        # No acceptance, and too far behind to be an answer: "없습니다" is said of something else.
        far = (
            place - before[-1] > _NEAR_SENTENCES
            and self.acceptance_log_odds(place) <= 0
            and not refers_back(text)
        )
        return bool(
            nods and (far or all(self.acts.log_odds[each, _SETTLING_COLUMNS].max() <= 0 for each in before))
        )

    def _is_mere_heading(self, place: int, lines: Sequence[int]) -> bool:
        """Whether the lines are a heading, and at most an acceptance of it."""
        says_yes = int(self.acts.log_odds[place].argmax()) in (_ACCEPTANCE, _COURTESY)
        telling = [each for each in lines if each != place or not says_yes] or [place]
        return all(is_bare_heading(self.sentences[each].text) for each in telling)

    def leaves_open(self, place: int) -> bool:
        """Whether a sentence, by its own words, most of all leaves something open."""
        own = self.acts.log_odds[place]
        return int(own.argmax()) == _OPEN and "?" not in self.sentences[place].text

    def _turn_id(self, place: int) -> int:
        return self.sentences[place].utterance.id


def dialogue_of(sentences: Sequence[Said]) -> Dialogue:
    """The dialogue of sentences in order, with the acts of each."""
    return Dialogue(sentences, acts_of(sentences))
