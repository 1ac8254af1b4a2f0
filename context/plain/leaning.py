"""Sentences that can't be read alone, and the lines that they lean on.

"그렇게 확정할게요" and "I'll call them tomorrow" tell nothing without what was said before: such a sentence
names no thing of its own, or has a pronoun in its place. It leans on the question that somebody has just
asked, on the sentence before it in its turn or on the likeliest proposal, and where that one leans itself, on
what that one leans on.
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
from context.plain.naming import (
    NAMES,
    agrees,
    breaks_off,
    has_pronoun,
    is_bare_heading,
    is_heading,
    may_name,
    points_back,
    points_first,
    stands_in,
    things,
)
from context.reading.acts import OWN_ACTS, Acts, acts_of
from context.reading.aligning import SAME_SCORE, likeness
from context.reading.changing import gives_up, puts_another
from context.reading.replacing import rarity
from context.retrieval.index_terms import STOPWORDS, words

_LINES_BACK: Final = 6
"""So many sentences before a leaning one are searched for what it leans on, and behind it for a yes."""
_MIN_CHARACTERS: Final = 2
"""A sentence with fewer content words tells nothing alone; with a pronoun, one that names fewer things."""
_FEW_WORDS: Final = 4
"""A sentence of at most so many words tells something only by a rare one."""
_SHORT: Final = 7
"""What leaves a question open in at most so many words, and names nothing of it, leans on it."""
_GOES_ON: Final = 3
"""Words, at most, of a question that goes on with the one before it."""
_TELLING: Final = 2.6
"""Rarity of such a word: it is said in fewer than one meeting in thirteen."""
_RIGHT_BEFORE: Final = 2
"""A question that a sentence answers is one of so many sentences before it; farther back only a proposal is
leaned on."""
_MATTER: Final = 12
"""So many sentences before a heading are searched for what was put of its matter."""
_MAX_LINKS: Final = 3
"""So many sentences are told together at most: one, what it leans on, and what that one leans on."""
_ODDS_LOST_PER_LINE: Final = 0.25
"""Log odds by which a sentence farther back is less likely what is leaned on."""
_IN_TURN, _JUST_ASKED = 1.0, 3.0
"""Log odds by which the sentence right before in the same turn is likelier what is leaned on, and a question
that somebody else has just asked."""
_LEAST_RIGHT_BEFORE: Final = -1.0
"""Least log odds of these two, before that is added."""
_LEAST_OF_A_PROPOSAL: Final = -2.5
"""Least log odds of what is leaned on."""
_COURTESY, _TASK, _OPEN = OWN_ACTS.index("courtesy"), OWN_ACTS.index("task"), OWN_ACTS.index("open")
_YES, _NO = OWN_ACTS.index("acceptance"), OWN_ACTS.index("rejection")
_PROPOSAL, _DECISION = OWN_ACTS.index("proposal"), OWN_ACTS.index("decision")
_DOES_NOTHING: Final = -2.0
"""Log odds below which a sentence does none of the acts by its own words."""
_NEARLY_YES: Final = -0.1
"""Least log odds of a yes or a decision, for a sentence without a pronoun to settle what was put."""
_TAKES, _POINTS = 0.4, 0.25
"""Least chances of a decision that accepts what somebody else has put: without a pronoun for it, with one."""
_SURE_ODDS: Final = 5.0
"""Log odds of a question that proposes, and of a yes to it, with which these are a decision."""
_DECIDED: Final = 0.65
"""Least chance of a decision to which a yes right behind it is said."""
_SETTLES: Final = [OWN_ACTS.index(act) for act in ("decision", "task", "proposal")]
"""Acts to which a nod is a decision."""
_PUT: Final = [OWN_ACTS.index(act) for act in ("decision", "proposal")]
"""Acts that a heading comes back to."""
_PUTS: Final = [OWN_ACTS.index(act) for act in ("decision", "task", "open", "proposal")]
"""Acts that somebody may answer, or come back to."""


@dataclass(frozen=True, slots=True, eq=False)
class Talk:
    """Sentences in order, and what each does; sentences are named by their place."""

    said: Sequence[Said]
    acts: Acts

    def is_short(self, place: int) -> bool:
        """Whether a sentence is too short to tell anything alone: "네, 그렇게 하죠"."""
        text = self.said[place].text
        told = words(text)
        if len([word for word in told if word not in STOPWORDS]) < _MIN_CHARACTERS:
            return True
        if len(told) > _FEW_WORDS:
            return False
        nods = int(self.acts.own[place].argmax()) in (_YES, _COURTESY)
        return nods or not any(rarity(word) >= _TELLING for word in matter(text))

    def leans(self, place: int) -> bool:
        """Whether a sentence can't be read without what was said before it."""
        text = self.said[place].text
        if names_it(text) and moments_in(text):
            return False  # when the people meet next is no answer to whatever was asked before
        if place and self._asks_on(place):
            return True
        if self.is_short(place) or (is_heading(text) and self._put_of(place) is not None):
            return True
        named = things(text)
        pronoun = points_first(text) if facts(text) else has_pronoun(text)
        if not named or (pronoun and len(named) < _MIN_CHARACTERS):
            return True
        if self.leaves_open(place) and self._names_no_matter(place):
            return True
        return len(matter(text)) < _MIN_CHARACTERS and self.asked(place) is not None

    def _names_no_matter(self, place: int) -> bool:
        """Whether a short sentence behind a question or a heading names hardly anything."""
        text, before = self.said[place].text, self.asked(place)
        if before is None and place and is_heading(self.said[place - 1].text):
            before = place - 1
        if before is None or len(words(text)) > _SHORT or len(things(text)) >= _MIN_CHARACTERS:
            return False
        asked = matter(self.said[before].text)
        return not any(likeness(one, other) >= SAME_SCORE for one in matter(text) for other in asked)

    def tells(self, place: int) -> bool:
        """Whether a sentence names what it settles, a thing, a day or a figure, and is no mere yes to it."""
        text, own = self.said[place].text, self.acts.own[place]
        says_yes = self.is_short(place) and own[_YES] > max(0.0, own[_DECISION])
        return not says_yes and bool(things(text) or facts(text))

    def asked(self, place: int) -> int | None:
        """The question right before a sentence, unless its speaker alone has spoken since; else None."""
        speaker = self.said[place].utterance.speaker_id
        others = False
        for before in range(place - 1, max(0, place - _RIGHT_BEFORE) - 1, -1):
            others = others or self.said[before].utterance.speaker_id != speaker
            if others and "?" in self.said[before].text:
                return before
        return None

    def leans_on(self, place: int) -> int | None:
        """The sentence that a leaning one leans on: of those before it the likeliest; None where none is.

        A heading leans on what was put of the matter that it names, however many sentences ago.
        """
        if is_heading(self.said[place].text) and (put := self._put_of(place)) is not None:
            return put
        if (decided := self._decision_taken(place)) is not None:
            return decided
        if place and self._asks_on(place):
            return place - 1
        if self.leaves_open(place) and (matters := self._left_open(place)) is not None:
            return matters
        likely = self._odds_before(place)
        best = max(likely, key=lambda before: likely[before], default=None)
        if best is not None and likely[best] > _LEAST_OF_A_PROPOSAL:
            return best
        text = self.said[place].text
        names = facts(text) or (self.tells(place) and not points_first(text))
        return None if names and not self.is_short(place) else self._named_before(place)

    def _odds_before(self, place: int) -> dict[int, float]:
        """The log odds that a sentence leans on each of those before it that it may lean on.

        What puts one value in the place of another leans on nothing else but what names that other one.
        """
        text, asked = self.said[place].text, self.asked(place)
        changes = puts_another(text)
        # What somebody has just proposed stands before anything that was put earlier. So does any question
        # for whoever leaves it open: "Do we want recordings?" – "I don't know".
        anew = asked is not None and self._proposes(asked) and not self.leans(asked)
        anew = anew or (asked == place - 1 and self.leaves_open(place))
        likely: dict[int, float] = {}
        for before in range(asked if asked is not None and anew else max(0, place - _LINES_BACK), place):
            puts = self._puts(before, place - before)
            in_turn = before == place - 1 and self._turn(before) == self._turn(place)
            near = place - before <= _RIGHT_BEFORE
            is_told = in_turn and puts > 0 if "?" not in self.said[before].text else near
            if self.is_short(before) and not is_told:
                continue
            if in_turn or before == asked:
                puts = max(puts, _LEAST_RIGHT_BEFORE) + (_IN_TURN if in_turn else _JUST_ASKED)
            if before != asked and changes and not gives_up(text, facts(self.said[before].text)):
                continue
            if self.said[before].text != text:
                likely[before] = puts - _ODDS_LOST_PER_LINE * (place - before)
        return likely

    def _decision_taken(self, place: int) -> int | None:
        """What somebody else has decided, where a sentence says yes right behind it or behind others' yes.

        It says yes to that, and to nothing older.
        """
        if self.yes(place) <= max(0.0, self.acts.own[place, _NO]):
            return None
        before = place - 1
        while (
            before > 0 and self.is_short(before) and self.yes(before) > max(0.0, self.acts.own[before, _NO])
        ):
            before -= 1
        if before < 0 or self.is_short(before) or self.acts.likely[before, 0] < _DECIDED:
            return None
        others = self.said[before].utterance.speaker_id != self.said[place].utterance.speaker_id
        return before if others else None

    def _asks_on(self, place: int) -> bool:
        """Whether a question goes on with the one before it in its turn: "When do we leave? At eight?"."""
        before = place - 1
        if len(words(self.said[place].text)) > _GOES_ON:
            return False
        asks = all("?" in self.said[each].text for each in (before, place))
        return asks and self._turn(before) == self._turn(place)

    def _left_open(self, place: int) -> int | None:
        """What a sentence leaves open: the question right before it, or the last that names a matter there.

        What is decided is not left open in the next breath, and a nod or a greeting names nothing.
        """
        if (asked := self.asked(place)) is not None:
            return asked
        for before in range(place - 1, max(0, place - _RIGHT_BEFORE) - 1, -1):
            text, settled = self.said[before].text, float(self.acts.likely[before, :2].max())
            if settled < _DECIDED and any(map(may_name, words(text))):
                return before
        return None

    def _named_before(self, place: int) -> int | None:
        """What stands right before a sentence and names what it may speak of."""
        for before in range(place - 1, max(0, place - _RIGHT_BEFORE) - 1, -1):
            text = self.said[before].text
            if facts(text) or any(rarity(word) >= NAMES and not stands_in(word) for word in matter(text)):
                return before
        return None

    def _put_of(self, heading: int) -> int | None:
        """The likeliest proposal before a heading that names its matter; None where none does."""
        named = [word for word in matter(self.said[heading].text) if rarity(word) >= NAMES]
        likely: dict[int, float] = {}
        for before in range(max(0, heading - _MATTER), heading):
            text = self.said[before].text
            there = matter(text)
            if not is_heading(text) and any(
                likeness(one, other) >= SAME_SCORE for one in named for other in there
            ):
                likely[before] = float(self.acts.own[before, _PUT].max()) - _ODDS_LOST_PER_LINE * (
                    heading - before
                )
        best = max(likely, key=lambda before: likely[before], default=None)
        return best if best is not None and likely[best] > _LEAST_OF_A_PROPOSAL else None

    def _puts(self, place: int, back: int) -> float:
        """The log odds that a sentence puts what may be leaned on by one that stands so far behind it.

        "Open till nine, then" puts something in its place, whatever its own words are.
        """
        own = self.acts.own[place]
        if back > _RIGHT_BEFORE:
            return float(own[_PROPOSAL])
        puts = float(own[_PUTS].max())
        if not self.is_short(place):
            decided = min(max(float(self.acts.likely[place, 0]), 1e-6), 1 - 1e-6)
            puts = max(puts, math.log(decided / (1 - decided)))
        return puts

    def lines(self, place: int) -> list[int]:
        """A sentence and those before it without which it can't be read, in order."""
        found = [place]
        while len(found) < _MAX_LINKS and self.leans(found[0]):
            before = self.leans_on(found[0])
            if before is None:
                break
            found.insert(0, before)
            asks = self.said[before].text
            if "?" not in asks and self.leaves_open(found[1]):
                break  # it names the matter
            goes_on = before > 0 and self._asks_on(before)
            if "?" in asks and things(asks) and not (has_pronoun(asks) or goes_on):
                break
        return found

    def takes(self, place: int) -> float | None:
        """How likely a decision has to be that takes what somebody else has put; None: it takes nothing.

        "그날로 하시죠" has a pronoun for a day, a figure or a proposal; "Works for me" needs a proposal with
        a day or figure. A sure yes to a sure proposal takes it whatever else is likely.
        """
        text, own, yes = self.said[place].text, self.acts.own[place], self.yes(place)
        least = _DOES_NOTHING if (points := points_back(text)) else _NEARLY_YES
        if "?" in text or max(yes, own[_DECISION]) <= max(least, own[_NO]):
            return None
        before = self.leans_on(place) if self.leans(place) else None
        if before is None or self.said[before].utterance.speaker_id == self.said[place].utterance.speaker_id:
            return None
        if any(self._proposes(each) for each in range(before + 1, place)):
            return None  # something else has been put
        put, asks = self.acts.own[before, _PROPOSAL], self.said[before].text
        named = bool(facts(asks))
        if self._surely_takes(place, before):
            return 0.0 if named or things(asks) else None
        if points and (put > 0 or named):
            return _POINTS
        return _TAKES if put > 0 and named else None

    def _surely_takes(self, place: int, before: int) -> bool:
        """Whether it surely says yes to a sure proposal, or only agrees to do what was put."""
        put = float(self.acts.own[before, _PROPOSAL])
        if agrees(self.said[place].text):
            return put > 0
        return min(self.yes(place), put) >= _SURE_ODDS and "?" in self.said[before].text

    def _proposes(self, place: int) -> bool:
        """Whether a sentence is a question that proposes something."""
        return "?" in self.said[place].text and bool(self.acts.own[place, _PROPOSAL] > 0)

    def accepted(self, place: int, *, task: bool = False, nods: bool = True) -> int | None:
        """The sentence in which somebody else says yes to this one.

        None where somebody says no first, or puts something else. `task`: it gives one out, and whoever takes
        it on says yes. `nods`: whether a mere nod is a yes.
        """
        speaker = self.said[place].utterance.speaker_id
        for behind in range(place + 1, min(len(self.said), place + 1 + _LINES_BACK)):
            own = self.acts.own[behind]
            yes = self.yes(behind)
            if task and own[_TASK] > yes and self.leans(behind) and self.leans_on(behind) == place:
                yes = own[_TASK]
            if self.said[behind].utterance.speaker_id != speaker and max(yes, own[_NO]) > 0:
                return behind if yes > own[_NO] and (nods or not is_nod(self.said[behind].text)) else None
            if self._puts_another(behind, place):
                return None  # a yes is said to that
        return None

    def _puts_another(self, place: int, put: int) -> bool:
        """Whether a sentence puts something that is not what was put before, at `put`."""
        if self._turn(place) == self._turn(put):
            return False
        if "?" in self.said[place].text and not self._proposes(place):
            return bool(things(self.said[place].text)) and not self.leans(place)
        puts = self.acts.own[place, _SETTLES].max() > 0
        return bool(puts) and (self._proposes(place) or not self.leans(place))

    def echoed(self, place: int) -> int | None:
        """The sentence right behind a turn in which somebody else says yes to it, in more than a nod."""
        turn, speaker = self._turn(place), self.said[place].utterance.speaker_id
        behind = next((n for n in range(place + 1, len(self.said)) if self._turn(n) != turn), len(self.said))
        if behind == len(self.said) or self.said[behind].utterance.speaker_id == speaker:
            return None
        own, text = self.acts.own[behind], self.said[behind].text
        says_yes = self.yes(behind) > max(0.0, own[_NO])
        return behind if says_yes and self.leans(behind) and not is_nod(text) else None

    def yes(self, place: int) -> float:
        """The log odds that a sentence says yes; sure where it is no more than "let's", "그러죠"."""
        yes = float(self.acts.own[place, _YES])
        return max(yes, _SURE_ODDS) if agrees(self.said[place].text) else yes

    def refuses(self, place: int) -> bool:
        """Whether a sentence turns down, more than anything else, what was put before it."""
        return int(self.acts.own[place].argmax()) == _NO

    def settles_nothing(self, place: int, lines: Sequence[int]) -> bool:
        """Whether a likely decision is none: it breaks off, tells not what about, or nobody has put that.

        What was left open is not put to anybody. `lines`: its own place, and behind which it stands.
        """
        text = self.said[place].text
        if breaks_off(text) or self._only_calls_up(place, lines):
            return True
        if len(lines) == 1:
            return not facts(text) and (self.is_short(place) or not things(text))
        own, before = self.acts.own[place], [each for each in lines if each != place]
        if all(self.leaves_open(each) for each in before):
            return True
        put = self.said[before[-1]].text
        takes_up = own[_DECISION] > 0 and points_back(text) and (things(put) or facts(put))
        return not (self.tells(place) or takes_up) and self._only_nods(place, before)

    def _only_nods(self, place: int, before: Sequence[int]) -> bool:
        """Whether a sentence does nothing but nod to lines that settle nothing, or are too far before it."""
        own, text = self.acts.own[place], self.said[place].text
        nods = int(own.argmax()) in (_COURTESY, _YES, _NO) or own.max() <= _DOES_NOTHING
        # No yes, and too far behind to be an answer: "없습니다" is said of something else.
        far = place - before[-1] > _RIGHT_BEFORE and self.yes(place) <= 0 and not points_back(text)
        return bool(nods and (far or all(self.acts.own[each, _SETTLES].max() <= 0 for each in before)))

    def _only_calls_up(self, place: int, lines: Sequence[int]) -> bool:
        """Whether the lines are a heading, and at most a yes to it."""
        says_yes = int(self.acts.own[place].argmax()) in (_YES, _COURTESY)
        told = [each for each in lines if each != place or not says_yes] or [place]
        return all(is_bare_heading(self.said[each].text) for each in told)

    def leaves_open(self, place: int) -> bool:
        """Whether a sentence, by its own words, most of all leaves something open."""
        own = self.acts.own[place]
        return int(own.argmax()) == _OPEN and "?" not in self.said[place].text

    def _turn(self, place: int) -> int:
        return self.said[place].utterance.id


def talk_of(said: Sequence[Said]) -> Talk:
    """Sentences in order, with what each does."""
    return Talk(said, acts_of(said))
