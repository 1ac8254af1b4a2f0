"""Matters that are named by a noun alone, and what looks so."""

import pytest

from context.topics.phrases.noun_sentences import NounSentence, noun_sentence
from tests.training.brisk_topics import WRITTEN, written
from tests.unit.cases import cases
from tests.unit.context.topics.brisk_meetings import ENGLISH, KOREAN, meeting


@cases
def test_a_noun_phrase_alone_is_one_with_or_without_a_word_that_leads_on_to_it(text: str, led: bool) -> None:
    assert noun_sentence(text) == NounSentence(led)


@cases
def test_a_clause_a_number_or_a_nod_is_none(text: str) -> None:
    assert noun_sentence(text) is None


@cases
def test_a_noun_alone_opens_the_matter_that_is_talked_about_next(opening: str, then: list[str]) -> None:
    said = ENGLISH if opening.isascii() else KOREAN
    talk = [(said[place][0], text) for place, text in zip((0, 1, 4, 0), then, strict=True)]
    opened = meeting([*said[:15], (said[0][0], opening), *talk]).segments
    assert [each.start_utterance_id for each in opened][-1] == 16


@pytest.mark.parametrize(
    ("said", "asked", "answer"),
    [(ENGLISH, "What do you sing there?", "Carols."), (KOREAN, "거기서 뭘 불러요?", "캐럴이요.")],
    ids=["en", "ko"],
)
def test_a_noun_that_answers_opens_nothing(said: list[tuple[str, str]], asked: str, answer: str) -> None:
    speaker, other = said[0][0], said[1][0]
    lines = [*said[:14], (speaker, asked), (other, answer), (speaker, said[13][1]), *said[14:]]
    assert 16 not in [each.start_utterance_id for each in meeting(lines).segments]


def test_most_openings_by_a_noun_are_found_in_meetings_that_were_never_trained_on() -> None:
    right, openings, wrong, near_misses = 0, 0, 0, 0
    for path in WRITTEN.glob("unread-noun-*.txt"):
        for each in written(path):
            starts = {segment.start_utterance_id for segment in meeting(each.said).segments}
            named = each.topics - {1, 2}
            right, openings = right + len(named & starts), openings + len(named)
            wrong, near_misses = wrong + len(each.near_misses & starts), near_misses + len(each.near_misses)
    assert (openings, near_misses) == (20, 34)
    assert right >= 14, "seven before nouns were a sign"
    assert wrong <= 4
