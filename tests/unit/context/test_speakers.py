"""Who speaks how much, and what role that is."""

from __future__ import annotations

import pytest

from context.fold.meeting import Meeting
from context.primitives.values import changed
from context.speaker_context import SpeakerContext
from tests.unit.cases import cases
from tests.unit.context.meetings import events_of, met, run, talk_of
from tests.unit.context.samples import utter


def say(
    context: SpeakerContext, speaker: str, text: str, start_ms: int = 0, end_ms: int | None = None
) -> None:
    times = {"start_ms": start_ms, "end_ms": start_ms + 1_000 if end_ms is None else end_ms}
    context.add_utterance(changed(utter(0, speaker, text), times))


def shares(context: SpeakerContext) -> dict[str, tuple[int, int]]:
    """Interruptions and interrupted."""
    return {who: (stats.interruptions, stats.interrupted) for who, stats in context.speaker_stats.items()}


Said = tuple[tuple[str, str, int, int], ...]
"""Speaker, text, begin and end in ms."""


def heard(*said: tuple[str, str, int, int], agent: tuple[str, ...] = ("모임", "Moim")) -> SpeakerContext:
    context = SpeakerContext(agent_names=agent)
    for speaker, text, start_ms, end_ms in said:
        say(context, speaker, text, start_ms, end_ms)
    return context


def test_counts_words_questions_and_talk_time() -> None:
    context = heard(("a", "서버 비용이 얼마나 늘었습니까?", 0, 2_000), ("a", "알겠습니다.", 5_000, 5_500))
    stats = context.speaker_stats["a"]
    assert (stats.utterance_count, stats.question_count, stats.statement_count) == (2, 1, 1)
    assert (stats.total_words, stats.avg_utterance_length, stats.talk_ms) == (5, 2.5, 2_500)


@pytest.mark.parametrize("question", ["테스트는 언제 시작할 수 있나요?", "When do we have to leave?"])
def test_who_answers_whom_and_who_follows_whom(question: str) -> None:
    context = SpeakerContext()
    say(context, "a", question)
    say(context, "b", "월요일부터요. On Monday.", 2_000)
    say(context, "a", "좋습니다. Good.", 4_000)
    assert context.interaction_matrix == {("a", "b"): 1, ("b", "a"): 1}
    assert context.answer_matrix == {("a", "b"): 1}
    assert context.speaker_stats["b"].answers == 1
    assert (context.answers_by("b"), context.answers_by("a")) == ({"a": 1}, {})


@pytest.mark.parametrize(
    ("said", "cuts"),
    [
        # An interruption begins well before the other one has ended.
        ((("a", "long", 0, 5_000), ("b", "in between", 3_000, 4_000), ("c", "in turn", 4_900, 6_000),
          ("a", "a slight overlap", 5_900, 7_000)), {"a": (0, 1), "b": (1, 0), "c": (0, 0)}),
        # Utterances come when they are complete, the long one last.
        ((("b", "잠깐만요, 그건 아닌데요", 4_000, 6_000), ("c", "wait, one thing", 7_000, 8_000),
          ("a", "긴 설명입니다. " * 10, 0, 20_000)), {"b": (1, 0), "c": (1, 0), "a": (0, 2)}),
        # One utterance over two speakers cuts in once.
        ((("a", "설명하자면 이렇습니다", 0, 5_000), ("b", "while I think that", 100, 5_100),
          ("c", "let me say this", 2_000, 6_000)), {"a": (0, 2), "b": (1, 1), "c": (1, 0)}),
    ],
)  # fmt: skip
def test_who_cuts_in_on_whom(said: Said, cuts: dict[str, tuple[int, int]]) -> None:
    assert shares(heard(*said)) == cuts


def test_roles_in_the_seeds_order_with_confidence() -> None:
    context = SpeakerContext()
    for _ in range(8):
        say(context, "asks", "누가 합니까?")
        say(context, "asks-long", "그러면 " + "정말 " * 30 + "누가 합니까?")
        say(context, "tells", "설명 " * 30 + "입니다.")
        say(context, "talks", "네 그렇습니다.")
    say(context, "silent", "네.")
    say(context, "silent", "누가 합니까?")
    assert context.infer_roles() == {
        "asks": "facilitator", "asks-long": "facilitator", "tells": "presenter", "talks": "participant", "silent": "observer",
    }  # fmt: skip
    assert context.speaker_roles == context.infer_roles()
    assert context.role_confidence["silent"] < 0.3 < context.role_confidence["asks"]
    assert all(0 <= c <= 1 for c in context.role_confidence.values())


def test_a_role_gets_surer_with_every_utterance() -> None:
    context, seen = SpeakerContext(), []
    for _ in range(12):
        say(context, "a", "누가 합니까?")
        context.infer_roles()
        seen.append(context.role_confidence["a"])
    assert seen == sorted(seen)


def test_the_buffer_keeps_the_newest_of_each_speaker() -> None:
    context = SpeakerContext(max_buffer_per_speaker=3)
    for i in range(10):
        say(context, "a", f"말 {i}")
    assert [u.text for u in context.speaker_buffers["a"]] == ["말 7", "말 8", "말 9"]
    assert SpeakerContext().max_buffer == 25


@pytest.mark.parametrize(
    ("name", "answers"),
    [("ko-release-planning", {"junho"}), ("en-sprint-review", {"ben", "chloe"})],
)
def test_the_scripted_meetings_know_who_has_the_answers(name: str, answers: str) -> None:
    meeting = Meeting(name)
    run(meeting, events_of(name))
    stats = meeting.speakers.speaker_stats
    most = max(s.answers for s in stats.values())
    assert {who for who, s in stats.items() if s.answers == most} == answers
    assert sum(s.interruptions for s in stats.values()) == 0, "a quarter of a second is no interruption"


@pytest.mark.parametrize(
    ("words", "nods"),
    [
        (nod, 1)
        for nod in ("네", "네, 네.", "그렇죠", "아 예", "mm-hm", "Yeah.", "okay, right", "I see", "uh-huh")
    ]
    + [(more, 0) for more in ("네, 그런데 비용은요", "yeah but the budget", "아니요", "no wait")],
)
def test_a_nod_within_somebodys_speech_is_no_interruption_and_more_is(words: str, nods: int) -> None:
    context = heard(("a", "long", 0, 5_000), ("b", words, 3_000, 3_900))
    assert shares(context) == {"a": (0, 1 - nods), "b": (1 - nods, 0)}
    assert context.speaker_stats["b"].nods == nods


_ON = tuple(("a", "I mean, well.", 1_000 + n * 1_000, 1_900 + n * 1_000) for n in range(6))


@pytest.mark.parametrize(
    ("said", "answers"),
    [
        ((("a", "월요일까지 됩니까?", 0, 2_000), ("b", "네.", 2_100, 2_500)), {("a", "b"): 1}),
        ((("a", "Can you do it by Monday?", 0, 2_000), ("b", "Yes.", 2_100, 2_500)), {("a", "b"): 1}),
        # A nod during the question is no answer.
        ((("a", "그러니까 다음 주까지 이걸 다 끝낼 수 있습니까?", 0, 5_000), ("b", "네", 2_000, 2_300),
          ("c", "어렵습니다.", 5_200, 6_000)), {("a", "c"): 1}),
        # A question back answers nothing, but one with words before it does.
        ((("a", "When do we ship?", 0, 1_000), ("b", "Do you mean the beta?", 1_200, 2_000),
          ("a", "The beta.", 2_200, 3_000), ("b", "On Monday. Is that fine?", 3_200, 5_000)),
         {("b", "a"): 1, ("a", "b"): 1}),
        # A question does not stay open for ever.
        ((("a", "누가 합니까?", 0, 1_000), ("b", "다른 이야기입니다.", 40_000, 41_000)), {}),
        ((("a", "Who does it?", 0, 1_000), *_ON, ("b", "Something else.", 8_000, 9_000)), {}),
        # What the agent is asked is for nobody else.
        ((("a", "모임아, 출시일이 언제로 결정됐지?", 0, 2_000), ("b", "다음 이야기입니다.", 2_500, 4_000)), {}),
        ((("a", "Moim, what did we decide?", 0, 2_000), ("b", "Next.", 2_500, 4_000)), {}),
    ],
)  # fmt: skip
def test_who_answers_whom(said: Said, answers: dict[tuple[str, str], int]) -> None:
    assert heard(*said).answer_matrix == answers


def test_the_agent_may_be_called_otherwise() -> None:
    for asked in ("비서야, 언제로 정했지?", "Hal, what did we decide?"):
        said = (("a", asked, 0, 2_000), ("b", "다음 이야기입니다. Next.", 2_500, 4_000))
        assert heard(*said, agent=("비서", "Hal")).answer_matrix == {}


@pytest.mark.parametrize(
    ("name", "question", "first", "second"),
    [
        ("박준호", "준호 씨, 배포는 언제 가능할까요?", "저는 금요일로 들었어요.", "월요일에 가능합니다."),
        ("Junho Park", "Junho, when can you deploy?", "I heard Friday.", "On Monday."),
    ],
)
def test_whoever_was_asked_by_name_has_a_say_after_somebody_else(
    name: str, question: str, first: str, second: str
) -> None:
    context = SpeakerContext()
    for who, called in (("junho", name), ("c", "이서연"), ("a", "김민지")):
        context.add_utterance(utter(1, who, "시작합시다.", name=called))
    for start_ms, who, text in (
        (10, "a", question),
        (12, "c", first),
        (14, "junho", second),
        (16, "c", second),
    ):
        say(context, who, text, start_ms * 1_000)
    assert context.answer_matrix == {("a", "c"): 1, ("a", "junho"): 1}


def test_a_role_has_its_witnesses() -> None:
    questions = [("asks", "누가 합니까?" if number % 2 else "Who does it?") for number in range(5)]
    speeches = [("tells", "설명 " * (25 + number)) for number in range(4)]
    meeting = met(*talk_of([*questions, *speeches, ("rare", "네.")]))
    assert meeting.speakers.infer_roles() == {"asks": "facilitator", "tells": "presenter", "rare": "observer"}
    assert meeting.speakers.role_evidence("asks") == (3, 4, 5), "the newest questions"
    assert meeting.speakers.role_evidence("tells") == (9, 8, 7), "the longest speeches"
    assert meeting.speakers.role_evidence("rare") == (10,)
    assert meeting.speakers.role_evidence("nobody") == ()


CHAIRED = [
    ("a", "자 시작하겠습니다. 오늘은 난방비랑 놀이터, 게시판까지 세 가지 볼게요."), ("b", "네 안녕하세요."), ("a", "먼저 난방비부터 보겠습니다."),
    ("b", "작년보다 많이 나왔습니다."), ("c", "배관이 낡았어요."), ("a", "그럼 다음 안건으로 놀이터 얘기를 해 보죠."), ("c", "그네가 부서졌어요."),
    ("b", "고치는 데 이백만 원입니다."), ("a", "좋습니다. 마지막으로 게시판 얘기를 하겠습니다."), ("b", "유리가 깨졌어요."), ("c", "제가 갈게요."),
]  # fmt: skip
CHAIRED_EN = [
    ("a", "Right, let's begin. Three things: the ferry, the posters and the keys."), ("b", "Morning."), ("a", "So, the ferry first."),
    ("b", "It's full on Friday."), ("c", "Saturday has room."), ("a", "Okay, moving on to the posters."), ("c", "They are printed."),
    ("b", "I'll hang them."), ("a", "Good. Last one, the keys."), ("b", "Two are lost."), ("c", "I'll have them cut."),
]  # fmt: skip


@pytest.mark.parametrize("said", [CHAIRED, CHAIRED_EN], ids=["ko", "en"])
def test_who_opens_the_meeting_and_announces_its_topics_leads_it(said: list[tuple[str, str]]) -> None:
    meeting = met(*talk_of(said))
    assert meeting.speakers.infer_roles() == {"a": "facilitator", "b": "participant", "c": "participant"}
    assert meeting.speakers.role_evidence("a") == (6, 9), "the announcements"
    assert 0.3 < meeting.speakers.role_confidence["a"] < 0.6, "of four utterances nobody is sure"
    restored = Meeting.restore("m", None, meeting.snapshot(), meeting.utterances)
    assert restored.speakers.infer_roles() == meeting.speakers.infer_roles()


@pytest.mark.parametrize("said", [CHAIRED, CHAIRED_EN], ids=["ko", "en"])
@pytest.mark.parametrize(
    ("change", "to"), [({"a": "b"}, "b"), ({}, "c")], ids=["another opens", "others announce, too"]
)
def test_who_only_announces_or_only_opens_does_not(
    said: list[tuple[str, str]], change: dict[str, str], to: str
) -> None:
    (first, opening), *rest = said
    others = [
        (to if (number == 7 and not change) else speaker, text) for number, (speaker, text) in enumerate(rest)
    ]
    meeting = met(*talk_of([(change.get(first, first), opening), *others]))
    assert set(meeting.speakers.infer_roles().values()) == {"participant"}


@cases
def test_who_opens_announces_once_and_asks_most_leads_it(said: tuple[tuple[str, str], ...]) -> None:
    meeting = met(*talk_of(said))
    roles = meeting.speakers.infer_roles()
    assert roles == {"a": "facilitator", "b": "participant", "c": "participant"}
    assert meeting.speakers.role_confidence["a"] < 0.5, "announced once"
