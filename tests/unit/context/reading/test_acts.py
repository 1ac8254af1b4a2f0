"""What a sentence does by itself, and in its place. How often that is right: `context/reading/acts.scores.json`."""

from __future__ import annotations

from context.language.spoken_sentences import split_utterances
from context.models import Summary
from context.plain.facade import summarise
from context.reading.acts import act_of, acts_of, is_courtesy
from tests.unit.cases import cases
from tests.unit.context.samples import utter


@cases
def test_what_is_decided_outright_is_a_decision(text: str) -> None:
    (decision,) = summarise(Summary(), [utter(1, "a", text)]).decisions
    assert decision.text == text


@cases
def test_what_is_wished_asked_denied_or_announced_is_none(text: str) -> None:
    assert summarise(Summary(), [utter(1, "a", text)]).decisions == ()


@cases
def test_moving_on_erases_nothing(decided: str, announced: str) -> None:
    summary = summarise(Summary(), [utter(1, "a", decided), utter(2, "a", announced)])
    assert [(each.text, each.status) for each in summary.decisions] == [(decided, "decided")]


@cases
def test_courtesies_are_known(text: str) -> None:
    assert is_courtesy(text)


@cases
def test_tasks_and_what_is_left_open_by_their_words(text: str, act: str) -> None:
    assert act_of(text) == act


def test_nothing_said_is_nothing_done() -> None:
    assert acts_of([]).chances.shape == (0, 3)


@cases
def test_what_follows_tells_what_a_proposal_was(proposal: str, yes: str) -> None:
    said = split_utterances([utter(1, "a", proposal), utter(2, "b", yes)])
    alone, answered = acts_of(said[:1]), acts_of(said)
    assert answered.chances[:, 0].max() > alone.chances[:, 0].max()
