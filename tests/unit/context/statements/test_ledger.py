"""What changes or contradicts a decision, within a topic and across topics; nothing is lost on the way."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from context.export.document import document
from context.export.statement_view import statements
from context.fold.meeting import Meeting
from context.models import Statement, Summary
from context.plain.facade import summarise
from context.statements.ledger import Ledger, each_once
from context.statements.summary_merge import carried, with_all_of
from tests.unit.cases import cases
from tests.unit.context.meetings import newer
from tests.unit.context.samples import utter
from tests.unit.context.summed_topics import meeting_of


@cases
def test_a_contradiction_is_flagged_with_both_evidences_until_it_is_decided_anew(
    lines: tuple[str, ...], decided: int, anew: str
) -> None:
    summary = summarise(Summary(), [utter(n, "a", text) for n, text in enumerate(lines, 1)])
    (found,) = summary.contradictions
    assert (found.evidence, found.decision_evidence) == ((3,), (decided,))
    (decision,) = summary.decisions
    assert decision.status == "decided"
    summary = summarise(summary, [utter(4, "a", anew)])
    assert [d.takes_up for d in summary.decisions] == [(), (decided,)]
    assert [d.status for d in summary.decisions] == ["decided", "decided"], "both stand"
    assert summary.contradictions == (), "the matter was decided anew"


@cases
def test_a_change_that_names_only_a_value_is_of_the_one_decision_with_such_a_value(
    decided: str, beside: str, change: str, again: str
) -> None:
    ledger = Ledger()
    for number, text in enumerate((decided, beside, change, again), 1):
        ledger.decide(Statement(text=text, evidence=(number,), status="decided"))
    assert [each.takes_up for each in ledger.decisions] == [(), (), (1,), (3,)]
    assert {each.status for each in ledger.decisions} == {"decided"}, "all stand"


@cases
def test_a_change_may_be_of_any_of_two_decisions_or_of_what_nobody_has_decided(
    one: str, other: str, change: str
) -> None:
    ledger = Ledger()
    for number, text in enumerate((one, other, change), 1):
        ledger.decide(Statement(text=text, evidence=(number,), status="decided"))
    assert [each.takes_up for each in ledger.decisions] == [()] * 3


@cases
def test_decisions_of_other_matters_all_stand(first: str, second: str) -> None:
    ledger = Ledger()
    for number, text in enumerate((first, second), 1):
        ledger.decide(Statement(text=text, evidence=(number,), status="decided"))
    assert [(each.status, each.takes_up) for each in ledger.decisions] == [("decided", ())] * 2


@cases
def test_what_is_only_said_again_stands_once_with_both_voices(first: str, second: str) -> None:
    lines = [first, "There is plenty to do until then.", second]
    summary = summarise(Summary(), [utter(n, "abc"[n % 3], text) for n, text in enumerate(lines, 1)])
    (decision,) = summary.decisions
    assert (decision.text, decision.evidence) == (first, (1, 3))


@cases
def test_no_statement_is_lost_to_another_with_its_figures(earlier: str, later: str) -> None:
    ledger = Ledger()
    for number, text in enumerate((earlier, later), 1):
        ledger.decide(Statement(text=text, evidence=(number,), status="decided"))
        ledger.note(Statement(text=text, evidence=(number,), status="open", kind="action"))
    assert [each.text for each in ledger.decisions] == [earlier, later]
    assert [each.text for each in ledger.pending] == [earlier, later]


BOUGHT = """
paint for the kitchen, tiles for the hall, rope for the garage, soap for the garden, flour for the cellar, lamps for the attic,
chairs for the office, ink for the barn, salt for the porch, glue for the studio, wool for the lobby, bricks for the library,
maps for the shed, tea for the stable, nails for the canteen, cups for the yard, forks for the dock, tape for the tower,
rice for the chapel, soil for the depot, pens for the pantry, bells for the gym, oil for the bakery, wax for the stage
"""


@cases
def test_a_later_topic_may_take_up_a_decision_of_an_earlier_one(
    first: tuple[str, ...], turn: tuple[str, ...], last: tuple[str, ...]
) -> None:
    meeting = meeting_of(first, turn, last)
    assert len(meeting.segments) == 2
    (old,) = meeting.segments[0].notes.decisions
    (new,) = meeting.segments[1].notes.decisions
    assert (old.status, new.status) == ("decided", "decided"), "both stand"
    assert new.takes_up == old.evidence[-1:]
    assert Meeting.restore("m", None, meeting.snapshot(), meeting.utterances).segments == meeting.segments


@cases
def test_what_a_later_topic_says_again_stands_once_in_the_list(
    first: tuple[str, ...], turn: tuple[str, ...], last: tuple[str, ...]
) -> None:
    meeting = meeting_of(first, turn, last)
    assert len(meeting.segments) == 2
    (old,) = meeting.segments[0].notes.decisions
    (new,) = meeting.segments[1].notes.decisions
    assert (new.repeats, new.takes_up) == (old.evidence[-1:], ())
    (told,) = statements(document(meeting)["topics"])["decisions"]
    assert told["text"] == old.text
    assert told["evidence"] == [*old.evidence, *new.evidence]
    (once,) = each_once([old, new])
    assert once.evidence == (*old.evidence, *new.evidence)
    changed = old.model_copy(update={"status": "superseded", "superseded_by": "9"})
    assert each_once([changed, new]) == [changed, new], "what is said again stands where the other does not"


SENTENCES = st.sampled_from(
    [
        "We will add a second server this week.",
        "We decided to keep the old logo.",
        "I will order the server tomorrow.",
        "출시일은 십이월 이십이일로 결정하겠습니다.",
        "예산은 이억 원으로 확정합니다.",
        "장애 보고서는 제가 내일까지 작성하겠습니다.",
    ]
)


@st.composite
def summaries(draw: st.DrawFn, first: int) -> Summary:
    """What an engine may write: any statements, each with evidence from `first` on or older."""
    texts = draw(st.lists(SENTENCES, max_size=4))
    made = [
        Statement(text=text, evidence=tuple(sorted({draw(st.integers(1, first + 20)), first + place})))
        for place, text in enumerate(texts)
    ]
    half = len(made) // 2
    return Summary(decisions=tuple(made[:half]), pending=tuple(made[half:]))


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_within_a_topic_summaries_are_folded_never_piled_up_never_dropped(data: st.DataObject) -> None:
    """Whatever a model writes anew, everything that was ever decided or taken on is still cited."""
    summary = Summary()
    cited: set[int] = set()
    versions = data.draw(st.integers(1, 5))
    for version in range(versions):
        written = data.draw(summaries(first=1 + 30 * version))
        summary = with_all_of(summary, written)
        statements = (*summary.decisions, *summary.pending)
        cited |= {s.evidence[-1] for s in (*written.decisions, *written.pending)}
        assert cited <= {i for statement in statements for i in statement.evidence}, "dropped"
        assert len(statements) <= 4 * (version + 1), "piled up"
        again = with_all_of(summary, summary)
        assert len(again.decisions) == len(summary.decisions)
        assert len(again.pending) == len(summary.pending)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_nothing_a_model_wrote_is_struck_through_without_its_word(data: st.DataObject) -> None:
    summary = Summary()
    for version in range(4):
        summary = with_all_of(summary, data.draw(summaries(first=1 + 30 * version)))
        assert {each.status for each in summary.decisions} <= {"decided"}
        assert not any(each.superseded_by for each in (*summary.decisions, *summary.pending))


def test_an_event_repeats_only_what_may_have_changed() -> None:
    before = tuple(Statement(text=f"We decided on number {n}.", evidence=(n,)) for n in range(1, 601))
    now = (
        *before[:-1],
        before[-1].model_copy(update={"status": "superseded"}),
        Statement(text="x", evidence=(601,)),
    )
    same = carried(before, now)
    assert 300 <= same < 600
    assert (*before[:same], *now[same:]) == now
    assert carried(before[:100], before[:100]) == 0, "small ones are told whole"


def test_the_fold_puts_carried_statements_back() -> None:
    meeting = meeting_of([f"We decided to buy {each.strip()}." for each in BOUGHT.split(",")])
    segment = meeting.segments[0]
    whole = segment.notes.decisions
    assert len(whole) > 20
    meeting.receive(newer(segment, Summary(decisions=whole[20:]), reason="closing", carried_decisions=20))
    assert meeting.segments[0].notes.decisions == whole
