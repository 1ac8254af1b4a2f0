"""A summary job over some utterances, and a tokenizer that counts words."""

from __future__ import annotations

from context.events.effects import Summarise
from context.models import Summary, TopicSegment, Utterance


class Words:
    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())


def job(utterances: tuple[Utterance, ...], notes: Summary | None = None) -> Summarise:
    last, notes = utterances[-1].id, notes or Summary()
    topic = TopicSegment(id="t1", name="출시", start_utterance_id=1, end_utterance_id=last, notes=notes)
    return Summarise(topic=topic, version=3, reason="turn_limit", utterances=utterances)
