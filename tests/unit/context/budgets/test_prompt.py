"""Whatever producers bring, a prompt keeps its budget, and what must stand stands."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.budgets.configuration import BudgetConfig
from context.budgets.output import MEETING_PRODUCERS, TARGET_TOKENS, CompressionLevel
from context.budgets.prompt import Composed, Told, compose
from context.budgets.workflows import ANSWER_WORKFLOWS, Workflow, WorkflowStage

CONFIG = BudgetConfig()
FULL, _, BRIEF, _ = CompressionLevel
NAMES = tuple(MEETING_PRODUCERS)
CALLS = tuple(ANSWER_WORKFLOWS)


@dataclass(frozen=True)
class Words:
    """A producer of so many words, a token each; at level 2 it has a third of them."""

    name: str
    words: int
    least: int = 0
    greedy: bool = False
    """It brings all of it, whatever its room."""
    detailed: int = 1
    """What its words are divided by at level 1."""

    def wanted(self, level: CompressionLevel, _shown: AbstractSet[int]) -> int:
        return max(self.least, self.words // (1, self.detailed, 3, 3)[level])

    def told(self, room: int, level: CompressionLevel, shown: AbstractSet[int]) -> Told:
        count = self.words if self.greedy else min(room, self.wanted(level, shown))
        return Told(text="w " * count, tokens=count)


def tokens(made: Composed) -> dict[str, int]:
    return {part.name: part.tokens for part in made.parts}


@given(st.dictionaries(st.sampled_from(NAMES), st.integers(0, 9_000)), st.integers(-5, 40_000))
def test_shares_never_exceed_the_room_or_the_want_and_leave_nothing_that_is_wanted(
    wants: dict[str, int], room: int
) -> None:
    given_ = CONFIG.shared_out(wants, room)
    assert sum(given_.values()) <= max(0, room)
    assert all(0 <= given_[name] <= wants[name] for name in wants)
    pressed = [name for name in wants if given_[name] < wants[name]]
    if pressed:
        assert sum(given_.values()) >= room - len(wants), "but for what rounding leaves"


def test_what_one_does_not_need_goes_to_the_others_by_weight() -> None:
    wants = {"evidence": 9_000, "documents": 100, "thread": 9_000, "profile": 0}
    assert CONFIG.shared_out(wants, 900) == {"evidence": 600, "documents": 100, "thread": 200, "profile": 0}


PRODUCERS = st.lists(
    st.builds(
        Words,
        st.sampled_from((*NAMES, "crm")),
        words=st.integers(0, 12_000),
        least=st.sampled_from((0, 0, 20, 3_000)),
        greedy=st.sampled_from((False,) * 9 + (True,)),
    ),
    unique_by=lambda each: each.name,
)


@settings(max_examples=400)
@given(
    PRODUCERS,
    st.sampled_from(CALLS),
    st.integers(0, 40_000),
    st.integers(0, 500),
)
def test_the_sum_never_exceeds_the_budget_and_what_must_stand_has_room(
    brought: list[Words], call: str, budget: int, spare: int
) -> None:
    made = compose(brought, CONFIG.workflows[call.lower()], budget, spare=spare, config=CONFIG)
    assert made.tokens == sum(part.tokens for part in made.parts) <= budget + spare
    least = {each.name: each.least for each in brought if not each.greedy}
    if sum(each.least for each in brought) <= budget // 2:
        shown = tokens(made)
        assert all(shown.get(name, 0) >= tokens_ for name, tokens_ in least.items())


@pytest.mark.parametrize("call", CALLS)
def test_each_call_type_shows_its_rows_size_first_and_fills_the_rest_with_what_was_found(call: str) -> None:
    workflow = CONFIG.workflows[call.lower()]
    made = tokens(compose([Words(name, 20_000) for name in NAMES], workflow, workflow.budget, config=CONFIG))
    table = workflow.stages["table"]
    assert sum(made.get(name, 0) for name in table.agents) == pytest.approx(table.budget, abs=5)
    assert sum(made.values()) == pytest.approx(workflow.budget, abs=15)
    quiet = tokens(
        compose([Words("transcript", 300), Words("evidence", 9_000)], workflow, 4_000, config=CONFIG)
    )
    assert quiet == {"transcript": 300, "evidence": 3_700}


def test_the_tables_sizes_are_the_seeds() -> None:
    sizes = {call: workflow.stages["table"].budget for call, workflow in ANSWER_WORKFLOWS.items()}
    assert sizes == {
        "IMMEDIATE_RESPONSE": 1_500, "SUMMARY": 1_750, "SEARCH": 1_750, "ACTION_EXTRACTION": 4_000,
    }  # fmt: skip
    assert "topics" not in ANSWER_WORKFLOWS["IMMEDIATE_RESPONSE"].stages["table"].agents


def test_once_most_of_a_prompt_is_used_later_stages_are_held_to_level_2() -> None:
    workflow = Workflow(
        stages={
            "table": WorkflowStage(agents=("topics", "transcript"), budget=7_000),
            "found": WorkflowStage(agents=("evidence", "documents"), budget=3_000),
        },
        critical_agents={"evidence": "what an answer rests on"},
    )
    brought = [Words(name, 20_000) for name in ("topics", "transcript", "evidence", "documents")]
    roomy, crowded = (
        compose(brought, workflow, 10_000, config=BudgetConfig(compression_share=share))
        for share in (0.8, 0.6)
    )
    assert (roomy.level, crowded.level) == (FULL, BRIEF)
    levels = {part.name: part.level for part in crowded.parts}
    assert levels == {"topics": FULL, "transcript": FULL, "evidence": FULL, "documents": BRIEF}
    assert tokens(crowded)["documents"] <= TARGET_TOKENS[BRIEF] < tokens(crowded)["evidence"]
    assert crowded.budget == 10_000


def test_a_prompt_never_holds_more_than_the_total_budget() -> None:
    config = BudgetConfig(total_budget=700)
    workflow = config.workflows["search"]
    made = compose(
        [Words("evidence", 9_000), Words("topics", 9_000)], workflow, 4_000, spare=90, config=config
    )
    assert made.tokens <= made.budget == 700


def test_who_may_be_compressed_gives_way_first() -> None:
    workflow = CONFIG.workflows["search"]
    levels = {
        part.name: part.level
        for part in compose(
            [Words("evidence", 9_000), Words("thread", 9_000), Words("documents", 9_000)],
            workflow, 4_000, config=CONFIG,
        ).parts
    }  # fmt: skip
    assert levels == {"evidence": FULL, "thread": BRIEF, "documents": FULL}


def test_who_was_told_in_full_is_told() -> None:
    workflow = CONFIG.workflows["immediate_response"]
    standing = [Words("topics", 1_900, least=200), Words("transcript", 500), Words("speakers", 40)]
    found = [Words("evidence", 9_000), Words("profile", 10)]
    for made in (compose([*standing, *more], workflow, 4_000, config=CONFIG) for more in ([], found)):
        assert {"topics", "transcript", "speakers"} <= made.whole, "what the table leaves is the topics'"
        assert "evidence" not in made.whole
    longer = [Words("topics", 2_000), *standing[1:]]
    assert "topics" not in compose(longer, workflow, 4_000, config=CONFIG).whole


def test_a_users_own_producers_and_plain_workflows_will_do() -> None:
    config = BudgetConfig.from_mapping({"producers": {"crm": "full"}})
    plain = Workflow(agents=("evidence",), total_budget=1_000)
    made = compose([Words("crm", 900), Words("evidence", 9_000)], plain, 1_200, config=config)
    assert tokens(made) == {"crm": 600, "evidence": 600}
    staged = Workflow(stages={"only": WorkflowStage(agents=("topics",), budget=10)})
    assert tokens(compose([Words("crm", 90)], staged, 100, config=config)) == {"crm": 90}


def test_what_stands_before_does_not_depend_on_what_was_found() -> None:
    workflow = CONFIG.workflows["immediate_response"]
    standing = [
        Words("topics", 5_000, least=200),
        Words("transcript", 5_000, least=20),
        Words("speakers", 40),
    ]
    bare, laden = (
        compose([*standing, *found], workflow, 4_000, config=CONFIG)
        for found in ([], [Words("evidence", 9_000), Words("thread", 800), Words("documents", 5_000)])
    )
    for name in ("topics", "transcript", "speakers"):
        assert bare.text_of(name) == laden.text_of(name)


def test_a_block_above_its_producers_threshold_comes_in_detail() -> None:
    """Seed 004's `summary_threshold`, in a window that would hold the whole of it."""
    workflow = Workflow(agents=("topics", "evidence", "thread"), total_budget=30_000)
    brought = [
        Words("topics", 4_001, detailed=2),
        Words("evidence", 7_000),
        Words("thread", 2_500, detailed=2),
    ]
    made = compose(brought, workflow, 30_000, config=CONFIG)
    assert {part.name: (part.level, part.tokens) for part in made.parts} == {
        "topics": (CompressionLevel.DETAILED, 2_000), "evidence": (FULL, 7_000), "thread": (FULL, 2_500),
    }  # fmt: skip
    own = BudgetConfig.from_mapping({"limits": {"light": {"summary_threshold": 100}}})
    made = compose([Words("thread", 101, detailed=2)], workflow, 30_000, config=own)
    assert [part.level for part in made.parts] == [CompressionLevel.DETAILED]
