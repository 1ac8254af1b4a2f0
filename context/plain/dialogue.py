"""A dialogue: sentences in order with the acts of each, and what one of them says by its own words.

What it refers to is found in `context.plain.antecedents`, what it says yes to in `context.plain.acceptances`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from context.evidence.facts import facts, matter
from context.language.spoken_sentences import SpokenSentence
from context.plain.mentions import named_things, only_agrees
from context.reading.acts import ACTS, DialogueActs, acts_of
from context.reading.replacing import rarity
from context.retrieval.index_terms import STOPWORDS, words

SENTENCES_BACK: Final = 6
"""So many sentences before one are searched for its antecedent, and so many behind it for an acceptance."""
MIN_CONTENT_WORDS: Final = 2
"""A sentence with fewer content words tells nothing alone; with a pronoun, one that names fewer things."""
_MAX_SHORT_WORDS: Final = 4
"""A sentence of at most so many words tells something only by a rare one."""
_TELLING_RARITY: Final = 2.6
"""The rarity of such a word: it is said in fewer than one meeting in thirteen."""
NEAR_SENTENCES: Final = 2
"""A question that a sentence answers is one of so many sentences before it; farther back, only a proposal is
an antecedent."""
_COURTESY, _OPEN = ACTS.index("courtesy"), ACTS.index("open")
_ACCEPTANCE, _REJECTION = ACTS.index("acceptance"), ACTS.index("rejection")
_PROPOSAL, _DECISION = ACTS.index("proposal"), ACTS.index("decision")
SURE_LOG_ODDS: Final = 5.0
"""The log odds of a proposing question, and of an acceptance of it, from which on these are a decision."""


@dataclass(frozen=True, slots=True, eq=False)
class Dialogue:
    """Sentences in order, and the acts of each; methods name a sentence by its place."""

    sentences: Sequence[SpokenSentence]
    acts: DialogueActs

    def is_short(self, place: int) -> bool:
        """Whether a sentence is too short to tell anything alone: "네, 그렇게 하죠"."""
        text = self.sentences[place].text
        words_said = words(text)
        if len([word for word in words_said if word not in STOPWORDS]) < MIN_CONTENT_WORDS:
            return True
        if len(words_said) > _MAX_SHORT_WORDS:
            return False
        nods = int(self.acts.log_odds[place].argmax()) in (_ACCEPTANCE, _COURTESY)
        return nods or not any(rarity(word) >= _TELLING_RARITY for word in matter(text))

    def is_informative(self, place: int) -> bool:
        """Whether a sentence names what it settles, a thing, a day or a figure, and is no mere acceptance."""
        text, own = self.sentences[place].text, self.acts.log_odds[place]
        says_yes = self.is_short(place) and own[_ACCEPTANCE] > max(0.0, own[_DECISION])
        return not says_yes and bool(named_things(text) or facts(text))

    def question_before(self, place: int) -> int | None:
        """The question right before a sentence, unless its speaker alone has spoken since; else None."""
        speaker = self.sentences[place].utterance.speaker_id
        others = False
        for before in range(place - 1, max(0, place - NEAR_SENTENCES) - 1, -1):
            others = others or self.sentences[before].utterance.speaker_id != speaker
            if others and self.asks(before):
                return before
        return None

    def asks(self, place: int) -> bool:
        """Whether a sentence is a question, marked as one or not."""
        return bool(self.acts.asks[place])

    def is_proposing_question(self, place: int) -> bool:
        """Whether a sentence is a question that proposes something."""
        return self.asks(place) and bool(self.acts.log_odds[place, _PROPOSAL] > 0)

    def calls_for_agreement(self, place: int) -> bool:
        """Whether a short question asks whether the others agree, and names no matter: "All agreed?"."""
        likeliest = int(self.acts.log_odds[place].argmax())
        return self.asks(place) and self.is_short(place) and likeliest in (_DECISION, _ACCEPTANCE)

    def acceptance_log_odds(self, place: int) -> float:
        """The log odds that a sentence accepts something; sure where it is no more than "let's", "그러죠"."""
        log_odds = float(self.acts.log_odds[place, _ACCEPTANCE])
        return max(log_odds, SURE_LOG_ODDS) if only_agrees(self.sentences[place].text) else log_odds

    def is_rejection(self, place: int) -> bool:
        """Whether a sentence, more than anything else, turns down what was proposed before it."""
        return int(self.acts.log_odds[place].argmax()) == _REJECTION

    def is_courtesy(self, place: int) -> bool:
        """Whether a sentence, more than anything else, greets, nods or announces: "Morning, everyone"."""
        own = self.acts.log_odds[place]
        return int(own.argmax()) == _COURTESY and float(own[_COURTESY]) > 0

    def leaves_open(self, place: int) -> bool:
        """Whether a sentence, by its own words, most of all leaves something open."""
        own = self.acts.log_odds[place]
        return int(own.argmax()) == _OPEN and not self.asks(place)

    def turn_id(self, place: int) -> int:
        """The id of the utterance that a sentence is of."""
        return self.sentences[place].utterance.id


def dialogue_of(sentences: Sequence[SpokenSentence]) -> Dialogue:
    """The dialogue of sentences in order, with the acts of each."""
    return Dialogue(sentences, acts_of(sentences))
