"""The injection suite as a whole: every case by both routes, and what people really decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tests.security.cases import Case, by_hand, by_rule, genuine
from tests.security.effects import Effect, effects
from tests.security.obedient import skeleton
from tests.security.scene import ROUTES, Route, decided, observe


@dataclass
class Figures:
    """What a run came to."""

    cases: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    obeyed: int = 0
    """Prompts in which the model saw an injection, and obeyed."""
    found: list[tuple[str, Route, Effect]] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    """Real decisions that were taken for injections."""
    genuine: int = 0


def run(count_by_rule: int, seed: int) -> Figures:
    """Every case by hand and so many by rule."""
    figures = Figures()
    for case in [*by_hand(), *by_rule(count_by_rule, seed)]:
        figures.cases[case.channel] += 1
        for route, effect in tried(case, figures):
            figures.found.append((case.id, route, effect))
    figures.genuine, figures.lost = kept()
    return figures


def tried(
    case: Case, figures: Figures | None = None, routes: Sequence[Route] = ROUTES, *, quick: bool = False
) -> Iterator[tuple[Route, Effect]]:
    """One case by each route; its effects."""
    for route in routes:
        seen = observe(case, route, quick=quick)
        if figures is not None:
            figures.runs += 1
            figures.obeyed += seen.model.obeyed if seen.model is not None else 0
        yield from ((route, effect) for effect in effects(seen))


def kept() -> tuple[int, list[str]]:
    """How many real decisions there are, and which of them were lost: they stand neither there nor as a task."""
    cases = [case for case in genuine() if case.decision is not None]
    lost = []
    for case in cases:
        seen = decided(case)
        notes = [segment.notes for segment in seen.notes]  # type: ignore[attr-defined]  # of this kind
        noted = [each.text for told in notes for each in (*told.decisions, *told.pending)]
        if not any(skeleton(case.decision or "") in skeleton(text) for text in noted):
            lost.append(case.id)
    return len(cases), lost


def by_kind(found: Iterable[tuple[str, Route, Effect]]) -> Counter[tuple[Route, str]]:
    return Counter((route, effect.kind) for _, route, effect in found)
