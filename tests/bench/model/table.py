"""What was measured, as data and as a table of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, Final

from tests.bench.model.endpoint import Call
from tests.bench.model.long_meetings import Row
from tests.bench.model.pieces import KINDS, RIGHT, Fate, Fates
from tests.bench.model.scores import Share
from tests.bench.model.trying import Tried
from tests.bench.model.twin import Clumsiness

SHOWN: Final[tuple[Fate, ...]] = ("stands", "unverified")
_CLUMSY: Final = {
    "answers": "whole answers that are still the model's",
    "verified": "whole answers that are still verified",
    "summaries": "whole summaries that are still the model's",
    "cited": "utterances that answers still cite",
    "statements": "statements that still stand in the minutes",
}
_SHARES: Final = {
    "answered": "questions answered, with the utterance that stands",
    "declined": "questions declined that nobody answered",
    "shown": "the needed utterance stood in the prompt",
    "decisions_found": "decisions that are in the minutes",
    "decisions_right": "decisions of the minutes that are some",
    "tasks_found": "tasks that are in the minutes, with their owner",
    "tasks_right": "tasks of the minutes that are some, with their owner",
    "struck_rightly": "decisions struck through that were changed",
    "topics_found": "topics' beginnings found, within 3 turns",
    "topics_right": "beginnings of topics that are some",
}


def measured(tried: Tried, model: str) -> dict[str, Any]:
    """Everything, by name."""
    scores = tried.scores
    return {
        "model": model,
        "goals": [asdict(goal) | {"met": goal.met} for goal in goals(tried)],
        "meetings": tried.meetings,
        "hours": round(tried.hours, 3),
        "answers": tried.answers,
        "scores": {name: _share(getattr(scores, name)) for name in _SHARES if tried.answers}
        | ({"topics_f1": round(scores.topics_f1, 4)} if tried.answers else {}),
        "cost": _costs(tried.calls, tried),
        "pieces": {verifier: _pieces(seen) for verifier, seen in tried.fates.items()},
        "verifier_per_answer": {
            verifier: _per(calls, tried.labelled) for verifier, calls in tried.verifying.items()
        },
        "clumsy": _clumsy(tried.clumsiness) if tried.clumsiness else {},
        "long": [_long(row) for row in tried.long],
        "prompts_without_reply": sorted(
            f"{prompt.purpose} {digest}" for digest, prompt in tried.unknown.items()
        ),
        "failures": tried.failures,
    }


@dataclass(frozen=True, slots=True)
class Goal:
    """What a strong model should come to."""

    name: str
    value: float
    bound: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether it does."""
        return self.value >= self.bound if self.at_least else self.value <= self.bound


def goals(tried: Tried) -> list[Goal]:
    """Those of what was tried, of the issue that asked for this harness."""
    found = []
    if (honest := tried.fates.get("honest")) is not None:
        right, wrong = honest.count(kinds=(RIGHT,)), honest.count()
        unmarked = honest.count("stands", kinds=(RIGHT,))
        found += [
            Goal("right pieces that stand unmarked, verified", unmarked / max(1, right), 0.98, True),
            Goal("wrong pieces published, verified", honest.count(*SHOWN) / max(1, wrong), 0.03),
        ]
    if (none := tried.fates.get("none")) is not None:
        wrong = none.count()
        found.append(
            Goal(
                "wrong pieces not marked as unverified, no verdicts", none.count("stands") / max(1, wrong), 0
            )
        )
    if tried.answers:
        struck = tried.scores.struck_rightly
        found += [
            Goal("unrelated statements struck through", struck.of - struck.right, 0),
            Goal("needed utterance in the prompt", tried.scores.shown.value, 0.95, True),
        ]
    if (clumsy := tried.clumsiness) is not None:
        lost = clumsy.answers.of - clumsy.answers.right + clumsy.summaries.of - clumsy.summaries.right
        found += [
            Goal("whole answers and summaries lost to a clumsy twin", lost, 0),
            Goal("right items of the clumsy twin that stand", clumsy.items.value, 0.9, True),
        ]
    if tried.long:
        shown = min(min(row.first.value, row.later.value) for row in tried.long)
        fewest = min(fmean(row.later_lines) / fmean(row.first_lines) for row in tried.long)
        found += [
            Goal("long meetings: needed line in the prompt, the worst row", shown, 0.97, True),
            Goal(
                "long meetings: lines at the 30th question over those at the 1st, the worst",
                fewest,
                0.9,
                True,
            ),
            Goal(
                "long meetings: prefix shared, the worst row",
                min(row.prefix for row in tried.long),
                0.7,
                True,
            ),
        ]
    return found


def _long(row: Row) -> dict[str, Any]:
    return {
        "minutes": row.minutes,
        "window": row.window,
        "meetings": row.meetings,
        "shown_first": _share(row.first),
        "shown_later": _share(row.later),
        "lines_first": round(fmean(row.first_lines), 1),
        "lines_later": round(fmean(row.later_lines), 1),
        "prefix": round(row.prefix, 4),
    }


def _clumsy(found: Clumsiness) -> dict[str, Any]:
    shares = {name: _share(getattr(found, name)) for name in _CLUMSY}
    return {"shares": shares, "repairs": found.repairs, "slips": dict(sorted(found.slips.items()))}


def _share(share: Share) -> dict[str, Any]:
    return {"value": round(share.value, 4), "right": share.right, "of": share.of}


def _costs(calls: Sequence[Call], tried: Tried) -> dict[str, Any]:
    """By purpose: of all, and per hour of meeting."""
    costs = {}
    for purpose in sorted({call.purpose for call in calls}):
        spent = [call for call in calls if call.purpose == purpose]
        costs[purpose] = {
            "calls": len(spent),
            "sent_tokens": sum(call.sent for call in spent),
            "answered_tokens": sum(call.answered for call in spent),
            "seconds": round(sum(call.took_s for call in spent), 3),
            "calls_per_hour": round(len(spent) / tried.hours, 2),
            "tokens_per_hour": round(sum(call.sent + call.answered for call in spent) / tried.hours),
            "seconds_per_hour": round(sum(call.took_s for call in spent) / tried.hours, 2),
        }
    return costs


def _per(calls: Sequence[Call], answers: int) -> dict[str, Any]:
    most = max(1, answers)
    return {
        "answers": answers,
        "calls": round(len(calls) / most, 3),
        "sent_tokens": round(sum(call.sent for call in calls) / most),
        "answered_tokens": round(sum(call.answered for call in calls) / most),
        "seconds": round(sum(call.took_s for call in calls) / most, 3),
    }


def _pieces(seen: Fates) -> dict[str, Any]:
    return {
        "right": _fates(seen, (RIGHT,)),
        "wrong": _fates(seen, KINDS),
        "by_kind": {kind: _fates(seen, (kind,)) for kind in KINDS},
        "by_language": {
            language: {
                "right": _fates(seen, (RIGHT,), (language,)),
                "wrong": _fates(seen, KINDS, (language,)),
            }
            for language in ("ko", "en")
        },
    }


def _fates(seen: Fates, kinds: Iterable[str], languages: Sequence[str] = ("ko", "en")) -> dict[str, int]:
    kinds = tuple(kinds)
    found = {"of": seen.count(kinds=kinds, languages=languages)}
    for fate in ("stands", "unverified", "marked", "taken_back", "held_back", "not_asked"):
        found[fate] = seen.count(fate, kinds=kinds, languages=languages)  # type: ignore[arg-type]  # a fate by its name
    return found


def as_markdown(found: Mapping[str, Any]) -> str:
    """The table, for people."""
    parts = [
        f"# {found['model']}: {len(found['meetings'])} meetings, {found['hours']} h, {found['answers']} questions"
    ]
    rows: list[tuple[Any, ...]] = [
        (
            goal["name"],
            f"{goal['value']:.3g}",
            f"{'≥' if goal['at_least'] else '≤'} {goal['bound']:g} {'✓' if goal['met'] else '✗'}",
        )
        for goal in found["goals"]
    ]
    parts.append("## Goals\n" + _table(("measure", "value", "goal"), rows))
    if found["scores"]:
        rows = [
            (_SHARES[name], f"{share['value']:.3f}", f"{share['right']} of {share['of']}")
            for name, share in found["scores"].items()
            if isinstance(share, dict)
        ]
        rows.append(("F1 of topics' beginnings", f"{found['scores']['topics_f1']:.3f}", ""))
        parts.append("## Meetings\n" + _table(("measure", "share", "right"), rows))
    if found["cost"]:
        rows = [(purpose, *cost.values()) for purpose, cost in found["cost"].items()]
        names = ("purpose", "calls", "tokens sent", "answered", "s", "calls/h", "tokens/h", "s/h")
        parts.append("## Cost\n" + _table(names, rows))
    if found["pieces"]:
        parts.append("## Labelled pieces\n" + _table(_PIECES, _piece_rows(found["pieces"])))
        rows = [(verifier, *cost.values()) for verifier, cost in found["verifier_per_answer"].items()]
        names = ("verifier", "answers", "calls", "tokens sent", "answered", "s")
        parts.append("## Verdicts per answer\n" + _table(names, rows))
    if clumsy := found["clumsy"]:
        rows = [
            (_CLUMSY[name], f"{share['value']:.3f}", f"{share['right']} of {share['of']}")
            for name, share in clumsy["shares"].items()
        ]
        made = sum(clumsy["slips"].values())
        told = f"{made} slips of {len(clumsy['slips'])} kinds were made; {clumsy['repairs']} replies were sent back."
        parts.append(f"## The clumsy twin\n{_table(('measure', 'share', 'right'), rows)}\n\n{told}")
    if found["long"]:
        rows = [tuple(_cell(value) for value in row.values()) for row in found["long"]]
        names = (
            *("minutes", "window", "meetings", "needed line, 1st question", "30th"),
            *("lines, 1st", "30th", "prefix shared"),
        )
        parts.append("## Long meetings\n" + _table(names, rows))
    if unknown := found["prompts_without_reply"]:
        parts.append(f"{len(unknown)} prompts have changed, or never had a reply.")
    return "\n\n".join(parts) + "\n"


def _cell(value: Any) -> str:
    """A share with its counts, or a number."""
    return (
        f"{value['value']:.3f} ({value['right']} of {value['of']})"
        if isinstance(value, dict)
        else f"{value:g}"
    )


_PIECES: Final = (
    "verifier",
    "pieces",
    "of",
    "published",
    "share",
    "said unverified",
    "marked",
    "taken back",
    "held back",
    "not asked",
)


def _piece_rows(pieces: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    rows = []
    for verifier, seen in pieces.items():
        told = {"right": seen["right"], "wrong": seen["wrong"], **seen["by_kind"]}
        for language, each in seen["by_language"].items():
            told |= {f"{what}, {language}": each[what] for what in ("right", "wrong")}
        for what, came in told.items():
            shown = sum(came[fate] for fate in SHOWN)
            share = f"{shown / came['of']:.3f}" if came["of"] else ""
            rest = (
                came["unverified"],
                came["marked"],
                came["taken_back"],
                came["held_back"],
                came["not_asked"],
            )
            rows.append((verifier, what, came["of"], shown, share, *rest))
    return rows


def _table(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)
