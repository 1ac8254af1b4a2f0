"""Topics of short meetings in which every utterance says something."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.topics.boundary.brisk import Brisk, BriskTopic, chance, describe
from context.topics.boundary.brisk_line import brisk_line
from context.topics.phrases.topic_names import name_of
from tests.unit.cases import cases
from tests.unit.context.topics.brisk_meetings import ENGLISH, KOREAN, meeting

TOPICS = [3, 9, 16]


def found(said: list[tuple[str, str]]) -> list[int]:
    finder = Brisk()
    along = [each for speaker, text in said if (each := finder.hear(speaker, text)) is not None]
    return [each.at for each in (*along, *finder.rest()) if each.is_likely]


def test_what_is_raised_after_the_last_matter_is_settled_begins_a_topic() -> None:
    assert found(ENGLISH)[-2:] == TOPICS[1:]
    assert found(KOREAN) == TOPICS
    for said in (ENGLISH, KOREAN):
        segments = meeting(said).segments
        assert [each.start_utterance_id for each in segments][-2:] == TOPICS[1:]
        assert all(each.decided_after - each.start_utterance_id <= 6 for each in segments[1:])


def test_talk_full_of_nods_and_speeches_are_left_to_the_scorer() -> None:
    for said, nod, filler in (
        (ENGLISH, "Mm.", " and so on" * 9),
        (KOREAN, "음.", " 그러니까 말씀드리자면" * 9),
    ):
        assert found([each for line in said for each in (line, ("Zoe", nod))]) == []
        assert found([(speaker, text + filler) for speaker, text in said]) == []


def test_an_announcement_decides_by_itself() -> None:
    for said, announced in (
        (ENGLISH, "Let's move on to the Christmas market."),
        (KOREAN, "다음 안건으로 넘어가겠습니다. 크리스마스 장터입니다."),
    ):
        lines = [*said[:15], (said[15][0], announced), *said[16:]]
        assert 16 not in found(lines)
        opened = meeting(lines).segments[-1]
        assert (opened.start_utterance_id, opened.decided_after) == (16, 16)


@cases
def test_what_is_found_just_before_an_announcement_does_not_take_its_place(
    added: tuple[tuple[str, str], ...], announced: str, name: str
) -> None:
    said = ENGLISH if name.isascii() else KOREAN
    lines = [*said[:8], *added, (said[0][0], announced), *said[8:15]]
    for until in range(12, len(lines) + 1):
        opened = meeting(lines[:until]).segments
        assert (opened[-1].name, opened[-1].start_utterance_id) == (name, 11)
        assert [each.start_utterance_id for each in opened[:-1]] in ([1], [1, 3])


@pytest.mark.parametrize(
    ("said", "opening"),
    [
        (ENGLISH, "Three things today: the roof, the choir and the Christmas market."),
        (KOREAN, "오늘은 지붕 공사랑 성가대, 크리스마스 장터까지 세 가지 볼게요."),
    ],
    ids=["en", "ko"],
)
def test_an_item_of_the_agenda_goes_on_until_the_next(said: list[tuple[str, str]], opening: str) -> None:
    listed = [(said[0][0], opening), *said[1:]]
    assert 9 in found(listed)
    assert [each.start_utterance_id for each in meeting(listed).segments] == [1, 16]
    assert meeting(listed).segments[-1].name in {"Christmas market", "크리스마스 장터"}
    items = opening.replace("the choir", "the neighbours").replace("성가대", "옆집")
    named = meeting([(said[0][0], items), *said[1:]]).segments
    assert [each.start_utterance_id for each in named] == [1, 9, 16], "found where the next item is spoken of"
    passed = opening.replace(
        "the roof, the choir and the Christmas market", "the choir, the Christmas market and the roof"
    )
    passed = passed.replace(
        "지붕 공사랑 성가대, 크리스마스 장터까지", "성가대랑 크리스마스 장터, 지붕 공사까지"
    )
    over = meeting([(said[0][0], passed), *said[1:]]).segments
    assert 9 in [each.start_utterance_id for each in over], "behind the last item anything may come"


@cases
def test_what_is_said_when_asked_for_more_is_a_matter_of_its_own(asked: str, told: str, nothing: str) -> None:
    said = ENGLISH if asked.isascii() else KOREAN
    before = [*said[:14], (said[0][0], asked)]
    then = ("Since when is that?", "Since Monday, I think.", "I see, thanks.")
    after = [(said[place][0], text) for place, text in zip((4, 1, 0), then, strict=True)]
    assert 16 in found([*before, (said[1][0], told), *after])
    assert 16 not in found([*before, (said[1][0], nothing), *after])
    assert 16 not in found([*before[:14], (said[0][0], "Is it dear?"), (said[1][0], told), *after])


@cases
def test_one_more_thing_is_another_matter_but_not_on_that(text: str, signs: tuple[str, ...]) -> None:
    found = brisk_line("a", text).signs
    assert tuple(name for name in ("about", "marked") if found[name]) == signs


def test_a_date_that_was_just_said_is_the_same_matter() -> None:
    for said, last in (
        ([*ENGLISH[:8], ("Ida", "The hall is free on the 19th. Is that all right?"), ("Omar", "Fine.")],
         ("Nell", "Then the concert is on May {}th. Who tells the choir?")),
        ([*KOREAN[:8], ("예린", "강당은 19일이 비었대요. 괜찮아요?"), ("도윤", "네.")],
         ("노은", "음악회는 5월 {}일입니다. 성가대에는 누가 말해요?")),
    ):  # fmt: skip
        lines = [brisk_line(*each) for each in said]
        same, other = (
            chance(describe([*lines, brisk_line(last[0], last[1].format(day))], len(lines), said[0][0]))
            for day in (19, 26)
        )
        assert same < other


def test_the_last_utterance_alone_is_no_topic() -> None:
    assert 16 in found(ENGLISH[:17])
    assert found(ENGLISH[:16])[-1:] == [9]


def test_the_longer_a_meeting_the_longer_its_topics() -> None:
    shortest = {at: BriskTopic(at, 0.9).shortest for at in (3, 4, 60, 100, 200, 300, 9000)}
    assert shortest == {3: 2, 4: 3, 60: 3, 100: 5, 200: 10, 300: 15, 9000: 15}
    hour = [(speaker, f"{text} ({week})") for week in range(60) for speaker, text in ENGLISH[2:]]
    starts = [each.start_utterance_id for each in meeting(hour).segments]
    lengths = [later - earlier for earlier, later in pairwise(starts)]
    assert min(lengths[30:]) >= 15


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(ENGLISH + KOREAN), min_size=1, max_size=90), st.integers(0, 90))
def test_whoever_goes_on_from_the_archive_finds_the_same(said: list[tuple[str, str]], cut: int) -> None:
    first, until = Brisk(), Brisk()
    heard: list[BriskTopic | None] = [first.hear(*each) for each in said]
    for each in said[:cut]:
        until.hear(*each)
    second = Brisk()
    second.load(said[:cut], until.dump())
    assert second.dump() == until.dump()
    assert [second.hear(*each) for each in said[cut:]] == heard[cut:]
    assert second.rest() == first.rest()


@cases
def test_who_raises_a_matter_names_it(text: str, name: str) -> None:
    assert name_of([text]) == name


@cases
def test_a_day_a_number_or_an_interjection_is_no_subject(text: str, name: str) -> None:
    assert name_of([text]) == name


def test_speakers_are_no_subject() -> None:
    assert name_of(["Same old Tobias. The launch date first?"], ["Tobias Berg"]) == "launch date"
    assert name_of(["지호 씨 잠깐만요. 행사 예산부터 볼까요?"], ["김지호"]) == "행사 예산"


def test_a_topic_is_named_by_the_turn_that_raised_it() -> None:
    assert [each.name for each in meeting(ENGLISH).segments][-2:] == ["neighbours", "christmas market"]
    assert [each.name for each in meeting(KOREAN).segments][1:] == ["지붕 공사", "옆집", "크리스마스 장터"]


def test_what_the_agent_is_asked_begins_no_topic() -> None:
    for said, called in ((ENGLISH, "Moim, "), (KOREAN, "모임아, ")):
        speaker, text = said[15]
        asked = [*said[:15], (speaker, f"{called}{text[0].lower()}{text[1:]}"), *said[16:]]
        assert 16 in found(said)
        assert 16 not in found(asked)
        alone = (said[0][0], f"{called.strip(', ')}.")
        assert 16 not in found([*said[:15], alone, *said[15:]])
        assert 16 not in found([*said[:15], alone, *said[16:]])


def test_sentences_in_pieces_are_no_brisk_talk() -> None:
    for said in (ENGLISH, KOREAN):
        pieces = [
            (speaker, " ".join(words[first : first + 3]))
            for speaker, text in said
            for words in [text.split()]
            for first in range(0, len(words), 3)
        ]
        assert all(at < 10 for at in found(pieces)), "after a few it is plain how they come"
