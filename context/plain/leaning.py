"""Sentences that can't be read alone, and the lines that they lean on.

"그렇게 확정할게요" and "I'll call them tomorrow" tell nothing without what was said before: such a sentence
names no thing of its own, or has a pronoun in its place. It leans on the question that somebody has just
asked, on the sentence before it in its turn or on the likeliest proposal, and where that one leans itself, on
what that one leans on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from context.exchanges import is_nod
from context.facts import facts, matter
from context.language.closed_lists import closed_lists
from context.language.dates import moments_in
from context.language.korean import has_hangul
from context.language.said import Said
from context.reading.acts import OWN, Acts, acts_of, log_odds
from context.reading.replacing import rarity
from context.retrieval.lexical import STOPWORDS, words

_LISTS: Final = closed_lists("leaning")
_DAYS: Final = closed_lists("moments")
_PRONOUNS: Final = frozenset(_LISTS["pronouns_en"])
_DETERMINERS: Final = frozenset(_LISTS["determiners_en"])
_ALONE: Final = frozenset(_LISTS["alone_ko"])
_DESCRIBES: Final = frozenset(_LISTS["describes_en"])
_BROKEN_OFF: Final = frozenset(_LISTS["broken_off_en"])
_MARKS: Final = ".,:;!?()[]\"'“”‘’…~-/*"
_TELLS_AN_ACT: Final = 2.0
"""A word without which the log odds of what a sentence does fall by so much tells that, and no thing."""
NAMES: Final = 2.0
"""Rarity of a word that may name a thing: it is said in fewer than one meeting in seven."""
_BACK: Final = 6
"""So many sentences before a leaning one are searched for what it leans on, and behind it for a yes."""
_WHOLE: Final = 2
"""A sentence with fewer content words tells nothing alone; with a pronoun, one that names fewer things."""
_FEW_WORDS: Final = 4
"""A sentence of at most so many words tells something only by a rare one."""
_TELLING: Final = 2.6
"""Rarity of such a word: it is said in fewer than one meeting in thirteen."""
_RIGHT_BEFORE: Final = 2
"""A question that a sentence answers is one of so many sentences before it; farther back only a proposal is
leaned on."""
_DEEP: Final = 3
"""So many sentences are told together at most: one, what it leans on, and what that one leans on."""
_FADES: Final = 0.25
"""Log odds by which a sentence farther back is less likely what is leaned on."""
_IN_TURN, _JUST_ASKED = 1.0, 3.0
"""Log odds by which the sentence right before in the same turn is likelier what is leaned on, and a question
that somebody else has just asked."""
_LEAST_RIGHT_BEFORE: Final = -1.0
"""Log odds that these have at least before that is added."""
_LEAST_OF_A_PROPOSAL: Final = -2.5
"""Log odds that what is leaned on has at least."""
_COURTESY, _TASK, _OPEN = OWN.index("courtesy"), OWN.index("task"), OWN.index("open")
_YES, _NO = OWN.index("acceptance"), OWN.index("rejection")
_PROPOSAL, _DECISION = OWN.index("proposal"), OWN.index("decision")
_DOES_NOTHING: Final = -2.0
"""Log odds below which a sentence does none of the acts by its own words."""
_NEARLY_YES: Final = -0.1
"""Log odds of a yes or a decision above which a sentence without a pronoun may settle what was put."""
_TAKES, _POINTS = 0.4, 0.25
"""So likely a decision is one that takes what somebody else has put, and one that has a pronoun for that."""
_SURE: Final = 5.0
"""Log odds of a question that proposes, and of a yes to it, with which these are a decision."""
_SETTLES: Final = [OWN.index(act) for act in ("decision", "task", "proposal")]
"""Acts to which a nod is a decision."""
_PUTS: Final = [OWN.index(act) for act in ("decision", "task", "open", "proposal")]
"""Acts that somebody may answer, or come back to."""


@lru_cache(maxsize=2048)
def things(text: str) -> tuple[str, ...]:
    """The words of a sentence that name a thing, in order: no days, pronouns, verbs and common words.

    A word without which the sentence would much less likely do what it does (확정할게요) names none.
    """
    for moment in reversed(moments_in(text)):
        text = f"{text[: moment.start]} {text[moment.end :]}"
    parts, korean = text.split(), has_hangul(text)
    odds = log_odds(text)
    does = int(odds.argmax())
    found: list[str] = []
    for place, part in enumerate(parts):
        word = part.strip(_MARKS).lower()
        is_verb = korean and (place == len(parts) - 1 or word.endswith(_LISTS["verbs_ko"]))
        if is_verb or stands_in(word) or not _may_name(word):
            continue
        rest = " ".join(parts[:place] + parts[place + 1 :])
        if float(odds[does] - log_odds(rest)[does]) < _TELLS_AN_ACT:
            found.append(word)
    return tuple(found)


def has_pronoun(text: str) -> bool:
    """Whether a word of the text stands in for something that was named before."""
    said = [part.strip(_MARKS).lower().replace("’", "'") for part in text.split()]
    for word, behind in pairwise([*said, ""]):
        means_the_next = word in _DETERMINERS and behind and behind not in STOPWORDS
        if (stands_in(word) or word in _ALONE) and not means_the_next:
            return True
    return False


def points_back(text: str) -> bool:
    """Whether a text takes up, by a pronoun, what was named: "let's take that", not "It's plastic"."""
    said = [word for word in text.split() if word.strip(_MARKS).lower().replace("’", "'") not in _DESCRIBES]
    return has_pronoun(" ".join(said))


def stands_in(word: str) -> bool:
    """Whether a word, in small letters, is a pronoun in the place of what was named before."""
    return word in _PRONOUNS or word.startswith(_LISTS["pronouns_ko"])


def _may_name(word: str) -> bool:
    if len(word) < _WHOLE or word.startswith(_DAYS["days_ko"]):
        return False
    return any(rarity(each) >= NAMES for each in matter(word))


def _breaks_off(text: str) -> bool:
    """Whether a sentence ends before it has said anything: "So the boiler for the", "그럼 병원 이전은"."""
    last = text.rsplit(maxsplit=1)[-1].strip(_MARKS).lower()
    return last in _BROKEN_OFF or (has_hangul(last) and last.endswith(_LISTS["broken_off_ko"]))


@dataclass(frozen=True, slots=True, eq=False)
class Talk:
    """Sentences in order, and what each does; sentences are named by their place."""

    said: Sequence[Said]
    acts: Acts

    def is_short(self, place: int) -> bool:
        """Whether a sentence is too short to tell anything alone: "네, 그렇게 하죠"."""
        text = self.said[place].text
        told = words(text)
        if len([word for word in told if word not in STOPWORDS]) < _WHOLE:
            return True
        if len(told) > _FEW_WORDS:
            return False
        nods = int(self.acts.own[place].argmax()) in (_YES, _COURTESY)
        return nods or not any(rarity(word) >= _TELLING for word in matter(text))

    def leans(self, place: int) -> bool:
        """Whether a sentence can't be read without what was said before it."""
        text = self.said[place].text
        if self.is_short(place):
            return True
        named = things(text)
        if not named or (has_pronoun(text) and len(named) < _WHOLE):
            return True
        return len(matter(text)) < _WHOLE and self.asked(place) is not None

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
        """The sentence that a leaning one leans on: of those before it the likeliest; None where none is."""
        asked = self.asked(place)
        likely: dict[int, float] = {}
        for before in range(max(0, place - _BACK), place):
            puts = self._puts(before, place - before)
            in_turn = before == place - 1 and self._turn(before) == self._turn(place)
            if "?" not in self.said[before].text and self.is_short(before) and not (in_turn and puts > 0):
                continue
            if in_turn or before == asked:
                puts = max(puts, _LEAST_RIGHT_BEFORE) + (_IN_TURN if in_turn else _JUST_ASKED)
            if self.said[before].text != self.said[place].text:
                likely[before] = puts - _FADES * (place - before)
        best = max(likely, key=lambda before: likely[before], default=None)
        if best is not None and likely[best] > _LEAST_OF_A_PROPOSAL:
            return best
        tells_enough = facts(self.said[place].text) and not self.is_short(place)
        return None if tells_enough else self._named_before(place)

    def _named_before(self, place: int) -> int | None:
        """What stands right before a sentence and names what it may speak of."""
        for before in range(place - 1, max(0, place - _RIGHT_BEFORE) - 1, -1):
            text = self.said[before].text
            if facts(text) or any(rarity(word) >= NAMES and not stands_in(word) for word in matter(text)):
                return before
        return None

    def _puts(self, place: int, back: int) -> float:
        """The log odds that a sentence puts what may be leaned on by one that stands so far behind it."""
        own = self.acts.own[place]
        return float(own[_PUTS].max() if back <= _RIGHT_BEFORE else own[_PROPOSAL])

    def lines(self, place: int) -> list[int]:
        """A sentence and those before it without which it can't be read, in order."""
        found = [place]
        while len(found) < _DEEP and self.leans(found[0]):
            before = self.leans_on(found[0])
            if before is None:
                break
            found.insert(0, before)
            asks = self.said[before].text
            if "?" in asks and things(asks) and not has_pronoun(asks):
                break
        return found

    def takes(self, place: int) -> float | None:
        """How likely a decision has to be that takes what somebody else has put; None: it takes nothing.

        "그날로 하시죠" has a pronoun for a day, a figure or a proposal; "Works for me" needs a proposal with
        a day or figure. A sure yes to a sure proposal takes it whatever else is likely.
        """
        text, own = self.said[place].text, self.acts.own[place]
        least = _DOES_NOTHING if (points := points_back(text)) else _NEARLY_YES
        if "?" in text or max(own[_YES], own[_DECISION]) <= max(least, own[_NO]):
            return None
        before = self.leans_on(place) if self.leans(place) else None
        if before is None or self.said[before].utterance.speaker_id == self.said[place].utterance.speaker_id:
            return None
        since = range(before + 1, place)
        if any("?" in self.said[each].text and self.acts.own[each, _PROPOSAL] > 0 for each in since):
            return None  # something else has been put
        put, asks = self.acts.own[before, _PROPOSAL], self.said[before].text
        named = bool(facts(asks))
        if min(own[_YES], put) >= _SURE and "?" in asks:
            return 0.0 if named or things(asks) else None
        if points and (put > 0 or named):
            return _POINTS
        return _TAKES if put > 0 and named else None

    def accepted(self, place: int, *, task: bool = False, nods: bool = True) -> int | None:
        """The sentence in which somebody else says yes to this one; None where somebody says no first.

        `task`: it gives one out, and whoever takes it on says yes. `nods`: whether a mere nod is a yes.
        """
        speaker = self.said[place].utterance.speaker_id
        for behind in range(place + 1, min(len(self.said), place + 1 + _BACK)):
            own = self.acts.own[behind]
            yes = own[_YES]
            if task and own[_TASK] > yes and self.leans(behind) and self.leans_on(behind) == place:
                yes = own[_TASK]
            if self.said[behind].utterance.speaker_id != speaker and max(yes, own[_NO]) > 0:
                return behind if yes > own[_NO] and (nods or not is_nod(self.said[behind].text)) else None
        return None

    def echoed(self, place: int) -> int | None:
        """The sentence right behind a turn in which somebody else says yes to it, in more than a nod."""
        turn, speaker = self._turn(place), self.said[place].utterance.speaker_id
        behind = next((n for n in range(place + 1, len(self.said)) if self._turn(n) != turn), len(self.said))
        if behind == len(self.said) or self.said[behind].utterance.speaker_id == speaker:
            return None
        own, text = self.acts.own[behind], self.said[behind].text
        return behind if own[_YES] > max(0.0, own[_NO]) and self.leans(behind) and not is_nod(text) else None

    def refuses(self, place: int) -> bool:
        """Whether a sentence turns down, more than anything else, what was put before it."""
        return int(self.acts.own[place].argmax()) == _NO

    def settles_nothing(self, place: int, lines: Sequence[int]) -> bool:
        """Whether a likely decision is none: it breaks off, tells not what about, or nobody has put that.

        What was left open is not put to anybody. `lines`: its own place, and behind which it stands.
        """
        text = self.said[place].text
        if _breaks_off(text):
            return True
        if len(lines) == 1:
            return not facts(text) and (self.is_short(place) or not things(text))
        own, before = self.acts.own[place], [each for each in lines if each != place]
        if all(self._leaves_open(each) for each in before):
            return True
        nods = int(own.argmax()) in (_COURTESY, _YES, _NO) or own.max() <= _DOES_NOTHING
        return bool(nods and all(self.acts.own[each, _SETTLES].max() <= 0 for each in before))

    def _leaves_open(self, place: int) -> bool:
        own = self.acts.own[place]
        return int(own.argmax()) == _OPEN and "?" not in self.said[place].text

    def _turn(self, place: int) -> int:
        return self.said[place].utterance.id


def talk_of(said: Sequence[Said]) -> Talk:
    """Sentences in order, with what each does."""
    return Talk(said, acts_of(said))
