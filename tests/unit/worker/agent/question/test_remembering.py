"""What bears on a question beside the talk: only what its asker may see, the same after a takeover.

And nobody else's health ends in the asker's profile, by the labelled sentences; seed 002's memory stands in the
prompt that a model is sent: the profile, and three tiers by their shares.
"""

from __future__ import annotations

import pytest

from context.budgets.tokens import EstimateTokenizer
from context.features import Features
from context.fold.window import RoughTokenizer
from context.manager import ContextManager
from context.packs.medical.persons import persons
from context.question import Question
from context.thread.memory import MemoryContext
from tests.fakes.llm import ScriptedModel
from tests.languages import BOTH
from tests.unit.cases import cases
from tests.unit.worker.agent.meetings import LINES, answered, meeting_of, put, say
from tests.unit.worker.agent.question.medical_sentences import SETS, Sentence, labelled, score
from worker.agent.calls.calling import CalledModel
from worker.agent.graph.answer_parts import AnswerParts
from worker.agent.graph.answering import Answerer
from worker.agent.question.question_context import QuestionContextSettings
from worker.agent.question.remembering import EntityPacks, ThreadMemory
from worker.bootstrap.packs import packs_named


def _manager(*exchanges: tuple[str, str, str]) -> ContextManager:
    """A meeting with 김민지, who is `a`. `exchanges`: who asked, what, and the answer."""
    manager = meeting_of((), people={"a": "김민지"})
    for by, question, text in exchanges:
        answered(manager, question, text, by=by)
    return manager


def _asks(by: str, text: str = "언제죠?", *, private: bool = False) -> Question:
    return Question(id="now", by=by, via="chat", text=text, private=private, at_ms=99)


TIERS = Features(hierarchical_memory_enabled=True)


def _recalled(
    memory: ThreadMemory, manager: ContextManager, asks: Question, tokens: int = 4000
) -> tuple[str, MemoryContext]:
    """The profile, and the three tiers."""
    profile = memory.recall(asks, manager.meeting, TIERS, max_tokens=tokens).profile
    return profile, memory.tiers(asks, manager.meeting, TIERS).retrieve_context(asks.text, tokens)


@pytest.mark.parametrize(
    "request_", ["벤에게만 해고됐다고 보내 줘", "Please send the report to Ben by Friday."]
)
async def test_what_the_agent_is_asked_to_do_is_nobodys_task(request_: str) -> None:
    memory = ThreadMemory(EntityPacks(), RoughTokenizer())
    manager = _manager(("a", request_, "회의 기록에 없습니다."))
    profile, tiers = _recalled(memory, manager, _asks("a"))
    assert request_ not in profile + tiers.semantic


@pytest.mark.parametrize(
    ("question", "decision"),
    [
        ("출시일은 언제죠?", "출시일은 12월 12일로 확정했습니다."),
        ("When do we launch?", "We decided to launch on December 12."),
    ],
)
async def test_what_a_document_says_was_decided_is_not_remembered_as_a_decision(
    question: str, decision: str
) -> None:
    memory = ThreadMemory(EntityPacks(), RoughTokenizer())
    known = {}
    for sources in ((), ("plan.pdf, 3",)):
        manager = _manager()
        answered(manager, question, decision, by="a", sources=sources)
        profile, tiers = _recalled(memory, manager, _asks("a"))
        known[sources] = decision in profile, decision in tiers.semantic
    assert known == {(): (True, True), ("plan.pdf, 3",): (False, False)}


async def test_a_private_exchange_is_its_askers_alone_and_only_privately() -> None:
    memory = ThreadMemory(EntityPacks(), RoughTokenizer())
    manager = _manager(("a", "예산은 얼마죠?", "천만 원입니다."))
    answered(manager, "비밀 예산은 얼마죠?", "이천만 원입니다.", by="a", private=True)
    told = {}
    for by, private in (("a", True), ("a", False), ("b", True), ("b", False)):
        profile, tiers = _recalled(memory, manager, _asks(by, private=private))
        told[by, private] = "이천만" in tiers.working + tiers.compressed + tiers.semantic + profile
    assert told == {("a", True): True, ("a", False): False, ("b", True): False, ("b", False): False}


@pytest.mark.parametrize(
    ("question", "notice"),
    [
        ("와파린하고 아스피린을 같이 먹어요", "aspirin + warfarin"),
        ("I take warfarin and aspirin", "aspirin + warfarin"),
    ],
)
async def test_medicines_that_do_not_go_together_are_noticed(question: str, notice: str) -> None:
    manager = _manager(("a", question, "네."))
    medical = ThreadMemory(EntityPacks(packs_named(["meeting", "medical"])), RoughTokenizer())
    known = medical.recall(_asks("a"), manager.meeting, Features(), max_tokens=2000)
    assert notice in known.profile
    assert "prescribing information" in known.profile
    plain = ThreadMemory(EntityPacks(), RoughTokenizer())
    assert notice not in plain.recall(_asks("a"), manager.meeting, Features(), max_tokens=2000).profile


async def test_the_budget_holds_and_flags_switch_the_parts_off() -> None:
    memory = ThreadMemory(EntityPacks(), RoughTokenizer())
    manager = _manager(*(("a", f"예산 {n}은 얼마죠?", "천만 원입니다. " * 30) for n in range(1, 20)))
    known = memory.recall(_asks("a"), manager.meeting, Features(), max_tokens=300)
    assert known.tokens <= 60
    assert known.profile.startswith("김민지")
    off = Features(include_profile=False)
    assert memory.recall(_asks("a"), manager.meeting, off, max_tokens=300).tokens == 0


MEDICAL = EntityPacks(packs_named(["meeting", "medical"]))
TAKES = {
    "ko": "저는 65세 남성이고 고혈압이 있어서 와파린을 먹어요",
    "en": "I am a man aged 65, have hypertension and take warfarin",
}


@cases
def test_a_meeting_names_people_dates_amounts_decisions_and_tasks(
    text: str, found: dict[str, tuple[str, ...]]
) -> None:
    named = EntityPacks().entities(text, ("김민지", "Ben"))
    assert {kind: tuple(e.name for e in named if e.kind == kind) for kind in found} == found


@BOTH
async def test_a_profile_is_one_persons(language: str) -> None:
    memory = ThreadMemory(MEDICAL, RoughTokenizer())
    manager = _manager(
        ("b", TAKES[language], "네."),
        ("a", "벤은 무슨 약을 먹어요? What does Ben take?", "**Ben** (09:00:01): metformin"),
    )
    known = {
        by: memory.recall(_asks(by), manager.meeting, Features(), max_tokens=4000).profile
        for by in ("a", "b")
    }
    assert "warfarin" in known["b"]
    assert not {"warfarin", "metformin", "hypertension"} & set(known["a"].replace(",", " ").split())


@pytest.mark.parametrize(
    ("language", "words"), [("ko", "65세 남성 고혈압 와파린"), ("en", "age 65 male hypertension warfarin")]
)
def test_a_search_is_widened_by_what_its_asker_has_named(language: str, words: str) -> None:
    manager = _manager(("a", TAKES[language], "네."))
    memory = ThreadMemory(MEDICAL, RoughTokenizer())
    assert memory.widening(_asks("a"), manager.meeting, language) == words
    assert not memory.widening(_asks("b"), manager.meeting, language)
    assert not ThreadMemory(EntityPacks(), RoughTokenizer()).widening(_asks("a"), manager.meeting, language)


@pytest.mark.parametrize(
    ("language", "question", "notice"),
    [
        ("ko", "아스피린도 먹어도 되나요?", "주의: 아스피린, 와파린 (aspirin + warfarin): 출혈 위험 증가"),
        ("en", "May I take aspirin with it?", "Notice: aspirin + warfarin: more bleeding"),
    ],
)
def test_the_asker_is_told_what_does_not_go_together(language: str, question: str, notice: str) -> None:
    memory = ThreadMemory(MEDICAL, RoughTokenizer())
    manager = _manager(("a", TAKES[language], "네."))
    (told,) = memory.notices(_asks("a", question), manager.meeting, "?", language)
    assert told.startswith(notice)
    assert "prescribing information" in told
    answered = memory.notices(
        _asks("a", "그럼요? And then?"), manager.meeting, "**Dr. Kim**: aspirin", language
    )
    assert answered == [told]
    assert not memory.notices(_asks("a", "언제죠? When?"), manager.meeting, "금요일 Friday", language)
    assert not memory.notices(_asks("a", "No aspirin, 아스피린은 안 먹어요"), manager.meeting, "", language)


@BOTH
async def test_over_budget_what_lasts_stays_then_the_last_turns_then_what_bears_on_the_question(
    language: str,
) -> None:
    memory = ThreadMemory(MEDICAL, RoughTokenizer())
    allergic = "페니실린 알레르기가 있어요" if language == "ko" else "I am allergic to penicillin"
    about = "서버 비용은 얼마죠?" if language == "ko" else "What does the server cost?"
    other = "점심 메뉴는 뭐죠?" if language == "ko" else "What is for lunch?"
    questions = [allergic, *([other] * 6), about, *([other] * 8)]
    manager = _manager(*(("a", f"{text} {n}", "네. Yes.") for n, text in enumerate(questions, 1)))

    def within(tokens: int) -> MemoryContext:
        return _recalled(memory, manager, _asks("a", about), tokens)[1]

    wide = within(2000)
    assert [f"Q{n}:" in wide.working for n in range(11, 17)] == [False, True, True, True, True, True]
    assert wide.compressed.index("Q6-10") < wide.compressed.index("Q1-5")
    narrow = within(110)
    assert "penicillin" in narrow.semantic
    assert "Q16:" in narrow.working
    assert "Q12:" not in narrow.working
    assert narrow.tokens <= 110


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("환자분이 와파린을 드신다고 합니다.", "무슨 약을 처방했어?", "**의사**: 아스피린을 처방하겠습니다."),
        ("The patient takes warfarin.", "What was prescribed?", "**Doctor**: I prescribe aspirin."),
    ],
)
def test_what_was_named_in_the_talk_counts_too(said: str, question: str, answer: str) -> None:
    memory, manager = ThreadMemory(MEDICAL, RoughTokenizer()), _manager()
    assert not memory.notices(_asks("a", question), manager.meeting, answer, "en")
    say(manager, *(("b", "B", text) for text in ("혈압은 정상입니다. Blood pressure is fine.", said)))
    (told,) = memory.notices(_asks("a", question), manager.meeting, answer, "en")
    assert told.startswith("Notice: aspirin + warfarin")


@pytest.mark.parametrize(
    ("taken", "stopped", "question"),
    [
        ("저는 와파린을 먹어요.", "와파린은 지난달에 끊었습니다.", "아스피린을 처방해도 될까요?"),
        ("I take warfarin.", "I stopped the warfarin last month.", "May I prescribe aspirin?"),
    ],
)
def test_a_medicine_that_was_stopped_in_the_talk_is_not_warned_of(
    taken: str, stopped: str, question: str
) -> None:
    memory, manager = ThreadMemory(MEDICAL, RoughTokenizer()), _manager()
    say(manager, ("b", "이서준", taken))
    assert memory.notices(_asks("a", question), manager.meeting, "", "en")
    say(manager, ("b", "이서준", stopped))
    assert not memory.notices(_asks("a", question), manager.meeting, "", "en")


@pytest.mark.parametrize(
    ("doctor", "read_out"),
    [("김 원장", "혈압이 150에 95 나오네요"), ("Dr. Kim", "Blood pressure is 150 over 95")],
)
def test_what_a_doctor_reads_out_is_not_in_the_doctors_profile(doctor: str, read_out: str) -> None:
    manager = meeting_of((), people={"a": doctor, "b": "이서준"})
    answered(manager, read_out, "네. Yes.", by="a")
    known = ThreadMemory(MEDICAL, RoughTokenizer()).recall(
        _asks("a"), manager.meeting, TIERS, max_tokens=4000
    )
    assert "150" not in known.profile


@BOTH
def test_a_private_medicine_is_not_told_aloud(language: str) -> None:
    memory = ThreadMemory(MEDICAL, RoughTokenizer())
    manager = _manager()
    answered(manager, TAKES[language], "네.", by="a", private=True)
    question = "아스피린은요? And aspirin?"
    assert memory.notices(_asks("a", question, private=True), manager.meeting, "", language)
    assert not memory.notices(_asks("a", question), manager.meeting, "", language)
    assert not memory.notices(_asks("b", question, private=True), manager.meeting, "", language)


SAID = {
    "ko": ("페니실린 알레르기가 있어요. 혈압은 150/95예요.", "이서준 씨는 아스피린 알레르기가 있대요."),
    "en": ("I am allergic to penicillin, my blood pressure is 150/95.", "이서준 is allergic to aspirin."),
}
ASKS = {
    "ko": ("제 혈압은 130/85인데 괜찮나요?", "누가 페니실린 알레르기가 있다고 했죠?"),
    "en": ("My blood pressure is 130/85, is that fine?", "Who is allergic to penicillin?"),
}


def _consultation(language: str) -> ContextManager:
    manager = meeting_of((), people={"a": "김민지", "b": "이서준"})
    say(manager, *(("a", "김민지", text) for text in SAID[language]))
    return manager


@BOTH
async def test_what_lasts_of_somebodys_health_says_whose_it_is(language: str) -> None:
    own, who = ASKS[language]
    quotes = [f"**김민지** (09:00:0{number}): {text}" for number, text in enumerate(SAID[language], 1)]
    memory, manager = ThreadMemory(MEDICAL, RoughTokenizer()), _consultation(language)
    answered(manager, who, quotes[0], by="b", evidence=(1,))
    answered(manager, own, "네. Yes.", by="b")
    answered(manager, who, "\n".join(quotes), by="b", evidence=(1, 2))
    lasting = _recalled(memory, manager, _asks("a"))[1].semantic.splitlines()
    assert "allergies: 김민지: penicillin (×2)" in lasting
    assert "allergies: 이서준: aspirin (×1)" in lasting
    assert all("penicillin" not in line or "김민지" in line for line in lasting)
    assert not any("150" in line and "130" in line for line in lasting), "two people's pressures are no trend"


@cases
def test_of_whom_it_is_told(text: str, speaker: str, whom: str) -> None:
    assert persons([text], speaker, ("김민지", "이서준", "Ann", "Ben")) == [whom]


@BOTH
async def test_who_asks_about_another_has_stated_nothing(language: str) -> None:
    about = (
        "이서준 씨는 아스피린 알레르기가 있나요?" if language == "ko" else "Is 이서준 allergic to aspirin?"
    )
    manager = _consultation(language)
    answered(manager, about, "네. Yes.", by="a")
    answered(manager, ASKS[language][1], "?", by="a")
    memory = ThreadMemory(MEDICAL, RoughTokenizer())
    profile, tiers = _recalled(memory, manager, _asks("a"))
    assert not tiers.semantic
    assert not {"aspirin", "penicillin"} & set(profile.replace(",", " ").split())


@cases
async def test_what_an_answer_quotes_is_learnt_and_a_quote_within_it_is_not(said: str, decided: bool) -> None:
    manager = _manager(("b", "What was decided? 뭘 결정했죠?", f"- **김민지** (09:00:01): {said}"))
    memory = ThreadMemory(EntityPacks(), RoughTokenizer())
    _, tiers = _recalled(memory, manager, _asks("a"))
    assert (said in tiers.semantic) == decided
    assert "09:00" not in tiers.semantic


RIGHT = 0.9
"""The least share of the labelled entities that is right: kind, name, value and status."""
SENTENCES = [sentence for name in SETS for sentence in labelled(name)]


@BOTH
@pytest.mark.parametrize("name", SETS)
def test_entities_have_the_right_status(name: str, language: str) -> None:
    scored = score(labelled(name, language))
    assert scored.share >= RIGHT, scored.wrong
    assert scored.details_right / max(1, scored.details) >= RIGHT, scored.wrong


def _known(sentence: Sentence) -> str:
    """Profile and semantic tier of somebody who has written a sentence twice, so that it lasts."""
    manager = _manager(*[("a", sentence.text, "네. Yes.")] * 2)
    memory = ThreadMemory(MEDICAL, RoughTokenizer())
    profile, tiers = _recalled(memory, manager, _asks("a", "언제죠? When?"), 8000)
    own = [line for line in tiers.semantic.splitlines() if "김민지" in line]
    return "\n".join([profile, *own])


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: sentence.id)
def test_a_profile_holds_nothing_of_others_and_nothing_that_was_only_asked(sentence: Sentence) -> None:
    own = {
        (label["name"], label.get("value", ""))
        for label in sentence.expected
        if label["whose"] == "asker" and label["status"] in ("active", "past")
    }
    known = _known(sentence)
    others = {(label["name"], label.get("value", "")) for label in sentence.expected} - own
    own_names = {name for name, _ in own}
    assert not [name for name, _ in others if name in known and name not in own_names]


TOLD = {
    "ko": ("저는 페니실린 알레르기가 있어요.", "혹시 와파린 드시는 분 계세요?", "딸이 천식이 있어요."),
    "en": ("I am allergic to penicillin.", "Does anyone take warfarin?", "My daughter has asthma."),
}
QUESTION = {"ko": "출시일이 언제로 결정됐어요?", "en": "When will a second server be added?"}
ANSWER = {"ko": "출시일은 십이월 이십이일입니다. [#3]", "en": "A second server is added this week. [#3]"}


def _lunches(language: str, turns: int) -> ContextManager:
    manager = meeting_of(LINES[language], people={"hana": "Hana Choi"})
    filler = "점심은 뭐예요?" if language == "ko" else "What is for lunch?"
    for number, text in enumerate([*TOLD[language], *([filler] * turns)], 1):
        answered(manager, text, f"음 {number}.", by="hana")
    return manager


@pytest.mark.parametrize("tiers", ["1", "0"])
@BOTH
async def test_profile_and_tiers_are_in_the_prompt_that_is_sent(language: str, tiers: str) -> None:
    model = ScriptedModel([ANSWER[language]])
    answerer = Answerer(
        CalledModel(model),
        QuestionContextSettings(EstimateTokenizer()),
        parts=AnswerParts(memory=ThreadMemory(MEDICAL, EstimateTokenizer())),
    )
    features = {"hierarchical_memory_enabled": tiers}
    await put(answerer, _lunches(language, 12), QUESTION[language], "hana", features=features)
    prompt = "\n".join(message.content for message in model.calls[0])
    assert "Hana Choi" in prompt
    assert ("allergies: Hana Choi: penicillin (×1)" in prompt) == (tiers == "1"), "semantic"
    assert ("Q1-5: " in prompt) == (tiers == "1"), "compressed"
    assert ("Q15: " in prompt) == (tiers == "1"), "working"
    told = prompt[prompt.index("<asker>") : prompt.index("</asker>")]
    told += "\n".join(line for line in prompt.splitlines() if line.startswith(("allergies:", "medications:")))
    assert "penicillin" in told
    assert "warfarin" not in told, "a question is nobody's fact"
    assert "asthma" not in told, "a daughter's asthma is not the asker's"


@pytest.mark.parametrize("tiers", ["1", "0"])
@BOTH
async def test_the_last_turns_stand_in_a_prompt_once(language: str, tiers: str) -> None:
    model = ScriptedModel([ANSWER[language]])
    memory = ThreadMemory(EntityPacks(), EstimateTokenizer())
    answerer = Answerer(
        CalledModel(model), QuestionContextSettings(EstimateTokenizer()), parts=AnswerParts(memory=memory)
    )
    manager = meeting_of(LINES[language], people={"hana": "Hana Choi"})
    for number in range(1, 9):
        answered(manager, f"안건 {number}? Item {number}?", f"답 Answer {number}0.", by="hana")
    features = {"hierarchical_memory_enabled": tiers}
    await put(answerer, manager, QUESTION[language], "hana", features=features)
    prompt = "\n".join(message.content for message in model.calls[0])
    assert [prompt.count(f"Answer {number}0") for number in range(4, 9)] == [1] * 5
