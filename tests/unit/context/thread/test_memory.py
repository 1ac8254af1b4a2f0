"""Three tiers, their shares, what lasts, and who a person is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.fold.window import RoughTokenizer
from context.packs.entity import Entity
from context.packs.medical.kinds import MEDICAL_KINDS
from context.packs.medical.pack import MedicalPack
from context.packs.meeting_pack import MEETING_KINDS
from context.thread.memory import DialogueTurn, HierarchicalMemory, ProfileStore, importance
from tests.unit.cases import cases

AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
COUNT = RoughTokenizer()
KINDS = {**MEDICAL_KINDS, **MEETING_KINDS}


def turn(
    number: int, question: str = "언제죠?", answer: str = "금요일입니다. 자세히는 나중에요."
) -> DialogueTurn:
    slots = tuple(MedicalPack().entities(f"{question} {answer}"))
    return DialogueTurn(
        turn_id=number,
        user_query=question,
        agent_response=answer,
        extracted_slots=slots,
        timestamp=AT,
        importance=importance(slots, KINDS),
    )


def memory(count: int) -> HierarchicalMemory:
    kept = HierarchicalMemory(COUNT, KINDS)
    for number in range(1, count + 1):
        kept.add_turn(turn(number))
    return kept


def test_importance_is_the_seeds_formula() -> None:
    assert set(DialogueTurn.model_fields) == {
        "turn_id", "user_query", "agent_response", "extracted_slots", "timestamp", "importance",
    }  # fmt: skip
    chronic = Entity(kind="conditions", name="hypertension", chronic=True)
    allergy = Entity(kind="allergies", name="penicillin")
    plain = [Entity(kind="vitals", name=f"v{n}") for n in range(9)]
    assert importance([], KINDS) == 0.5
    assert importance(plain[:2], KINDS) == pytest.approx(0.7)
    assert importance(plain, KINDS) == pytest.approx(0.8)
    assert importance([chronic], KINDS) == pytest.approx(0.8)
    assert importance([chronic, allergy, *plain], KINDS) == 1.0
    assert importance([Entity(kind="decisions", name="예산 확정")], KINDS) == pytest.approx(0.8)


@pytest.mark.parametrize(("turns", "spans"), [(5, []), (9, []), (10, [(1, 5)]), (15, [(1, 5), (6, 10)])])
def test_spans_are_compressed_when_they_have_left_the_working_tier(
    turns: int, spans: list[tuple[int, int]]
) -> None:
    kept = memory(turns)
    assert [span.turn_range for span in kept.compressed] == spans
    seen = {t.turn_id for t in (*kept.working, *kept.between)}
    seen |= {n for first, last in spans for n in range(first, last + 1)}
    assert seen == set(range(1, turns + 1))
    assert all(COUNT.count(span.summary) <= 200 for span in kept.compressed)


def test_what_lasts() -> None:
    kept = HierarchicalMemory(COUNT, KINDS)
    kept.add_turn(turn(1, "페니실린 알레르기가 있어요", "적어 두었습니다."))
    kept.add_turn(turn(2, "당뇨가 있고 감기예요. 메트포르민 먹어요. 혈압 150/95", "네."))
    assert [entry.name for entry in kept.semantic.entries["allergies"]] == ["penicillin"]
    assert [entry.name for entry in kept.semantic.entries["conditions"]] == ["diabetes mellitus active"]
    assert "medications" not in kept.semantic.entries
    kept.add_turn(turn(3, "I have a cold and take metformin. Blood pressure 140 over 90", "Noted."))
    (metformin,) = kept.semantic.entries["medications"]
    assert (metformin.name, metformin.first_mentioned, metformin.frequency) == ("metformin", 2, 2)
    assert "common cold active" in [entry.name for entry in kept.semantic.entries["conditions"]]
    assert kept.semantic.patterns[0] == "SBP 150 ↓ 140 (mean 145, 2)"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=300), max_size=16), st.integers(0, 800))
def test_no_tier_goes_over_the_budget(answers: list[str], budget: int) -> None:
    kept = HierarchicalMemory(COUNT, KINDS)
    for number, text in enumerate(answers, 1):
        kept.add_turn(turn(number, f"질문 {number}", text))
    found = kept.retrieve_context("질문 3", budget)
    tokens = [COUNT.count(part) if part else 0 for part in (found.working, found.compressed, found.semantic)]
    assert sum(tokens) <= budget
    assert tokens[1] <= round(budget * 0.3)
    assert tokens[2] <= round(budget * 0.2)


def test_the_compressed_span_that_bears_on_the_question_comes_first() -> None:
    kept = HierarchicalMemory(COUNT, KINDS)
    for number in range(1, 16):
        about = "서버 비용은 얼마죠?" if number == 8 else f"점심 {number}번 메뉴는?"
        kept.add_turn(turn(number, about, "삼백 달러입니다." if number == 8 else "국수입니다."))
    assert kept.retrieve_context("서버 비용이요", 4000).compressed.startswith("Q6-10")


def test_a_profile_fades_is_superseded_and_reads_as_prose() -> None:
    profile = ProfileStore(KINDS)
    profile.add(
        1, [Entity(kind="demographics", name="age", value="64"), Entity(kind="symptoms", name="cough")]
    )
    profile.add(3, [Entity(kind="demographics", name="age", value="65")])
    assert [fact.entity.value for fact in profile.known("demographics")] == ["65"]
    assert profile.known("symptoms")[0].weight == pytest.approx(0.81)
    assert profile.known("demographics")[0].weight == 1.0
    assert profile.profile_summary("ko") == "인적 사항: age 65\n증상: cough"
    assert profile.profile_summary("en") == "Person: age 65\nSymptoms: cough"
    profile.add(4, [Entity(kind="symptoms", name="cough", details=(("status", "denied"),))])
    assert profile.known("symptoms") == []


@pytest.mark.parametrize(
    ("ill", "well"),
    [("페니실린 알레르기가 있어요.", "비가 오네요."), ("I am allergic to penicillin.", "It is raining.")],
)
def test_of_spans_that_bear_equally_on_a_question_the_important_one_comes_first(ill: str, well: str) -> None:
    kept = HierarchicalMemory(COUNT, KINDS)
    for number in range(1, 16):
        kept.add_turn(turn(number, ill if number == 7 else well, "음."))
    assert [span.importance for span in kept.compressed] == [0.5, pytest.approx(0.8)]
    assert kept.retrieve_context("zzz", 4000).compressed.startswith("Q6-10")


@cases
def test_what_is_stopped_or_denied_ends_what_was_known_and_what_is_asked_does_not(
    said: str, known: tuple[str, ...]
) -> None:
    profile, pack = ProfileStore(KINDS), MedicalPack()
    profile.add(1, pack.entities("I take warfarin."))
    profile.add(2, pack.entities(said))
    assert [fact.entity.name for fact in profile.known("medications")] == list(known)
    asked_only = ProfileStore(KINDS)
    asked_only.add(1, [each for each in pack.entities(said) if known and "?" in said])
    assert asked_only.known() == []
