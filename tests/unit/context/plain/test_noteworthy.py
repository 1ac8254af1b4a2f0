"""Key points: what tells something of the matter, and neither small talk nor jokes."""

from __future__ import annotations

from context.models import Summary, Utterance
from context.plain.facade import summarise
from tests.unit.cases import cases
from tests.unit.context.samples import utter

Lines = tuple[tuple[str, str], ...]


def said(lines: Lines, first: int = 1) -> list[Utterance]:
    return [utter(number, speaker, text) for number, (speaker, text) in enumerate(lines, first)]


@cases
def test_small_talk_between_the_matters_is_no_key_point(lines: Lines, points: tuple[str, ...]) -> None:
    assert [each.text for each in summarise(Summary(), said(lines)).key_points] == list(points)


@cases
def test_where_nothing_is_worth_a_note_there_is_no_key_point(lines: Lines) -> None:
    assert not summarise(Summary(), said(lines)).key_points


@cases
def test_what_stands_in_for_a_summary_is_no_key_point_later(before: Lines, lines: Lines) -> None:
    former = summarise(Summary(), said(before))
    assert former.text
    assert not former.key_points
    summary = summarise(former, said(lines, len(before) + 1))
    assert [each.text for each in summary.key_points] == [text for _, text in lines]
