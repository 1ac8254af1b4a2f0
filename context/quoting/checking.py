"""A checked claim as an answer: what came of it, both evidences quoted, and what to do about it."""

from __future__ import annotations

from typing import Final

from context.answering.checks import Check, Side, Verdict
from context.answering.template import Response
from context.models import AgentCallType
from context.quoting.quotes import ExtractiveAnswer
from context.quoting.record import Record

ANALYSIS: Final[dict[Verdict, tuple[str, str]]] = {
    "changed": (
        "네, 결정이 바뀌었습니다. 처음 결정과 지금 유효한 결정입니다.",
        "Yes, the decision changed. This was decided first, and this stands now.",
    ),
    "contradicted": (
        "네, 결정된 것과 다른 말이 나왔습니다. 새로 결정된 것은 없습니다.",
        "Yes, something was said that does not fit the decision. Nothing was decided anew.",
    ),
    "confirmed": (
        "네, 그렇게 나온 기록이 있고 이후 바뀐 것은 찾지 못했습니다.",
        "Yes, that was said, and I find no later change.",
    ),
    "followed": (
        "네, 그 말은 나왔습니다. 다만 뒤이어 다른 숫자나 날짜도 나왔습니다.",
        "Yes, that was said, but another figure or day came up right after it.",
    ),
    "overtaken": (
        "네, 그렇게 정했습니다. 다만 뒤이어 다른 결정도 나왔습니다.",
        "Yes, that was decided. But something else was settled soon after.",
    ),
    "related": (
        "그대로 말한 기록은 찾지 못했습니다. 이에 대해 나온 결정입니다.",
        "I do not find it said like that. This is what was decided on it.",
    ),
    "otherwise": ("아니요, 기록은 다릅니다.", "No, the record says otherwise."),
    "mentioned": (
        "아니요, 그 말은 나왔지만 결정은 다릅니다.",
        "No: that was said, but something else was decided.",
    ),
    "corrected": (
        "아니요, 그 말은 나왔지만 곧 바로잡혔습니다.",
        "No: that was said, and then put right.",
    ),
    "unchanged": (
        "아니요, 결정은 그대로이고 이와 다른 결정이나 말은 찾지 못했습니다.",
        "No: the decision stands, and I find nothing in this meeting that speaks against it.",
    ),
}
SUGGESTION: Final[dict[Verdict, tuple[str, str]]] = {
    "changed": (
        "나중 결정을 기준으로 하고, 처음 결정을 알고 있는 분들께 알려 주세요.",
        "Go by the later decision, and tell those who know the first one.",
    ),
    "contradicted": (
        "어느 쪽이 맞는지 지금 확인해 주세요.",
        "Settle now which of the two holds.",
    ),
    "followed": (
        "둘 중 어느 쪽이 맞는지 확인해 주세요.",
        "Check which of the two holds.",
    ),
    "overtaken": (
        "나중 결정이 앞의 결정을 대신하는지 확인해 주세요.",
        "Check whether the later one takes its place.",
    ),
    "corrected": ("바로잡은 쪽을 기준으로 해 주세요.", "Go by what it was put right to."),
    "mentioned": ("결정된 쪽을 기준으로 해 주세요.", "Go by what was decided."),
}
_LABELS: Final = {
    "superseded": ("처음 결정", "decided first"),
    "now": ("지금 결정", "stands now"),
    "decided": ("결정", "decided"),
    "said": ("발언", "said"),
}


def label(side: Side, check: Check, language: str) -> str:
    """What a quote is: the first decision, the one that stands, or something said."""
    name = "superseded" if side.superseded else "decided" if side.decided else "said"
    if check.verdict == "changed" and not side.superseded:
        name = "now"
    return _LABELS[name][language != "ko"]


def response(check: Check, record: Record) -> Response:
    """The three parts of the answer."""
    foreign = record.language != "ko"
    lines = [
        f"- [{label(side, check, record.language)}] {record.quote(side.text, side.utterance)}"
        for side in check.sides
    ]
    return Response(
        analysis=ANALYSIS[check.verdict][foreign],
        attributed_quotes="\n".join(lines),
        suggestion=SUGGESTION.get(check.verdict, ("", ""))[foreign],
    )


def checked(check: Check, record: Record, wanted: AgentCallType) -> ExtractiveAnswer:
    """The answer, in seed 000's template."""
    return ExtractiveAnswer(
        text=response(check, record).rendered(record.language),
        evidence=tuple(sorted(check.evidence)),
        declined=False,
        call_type=wanted,
    )
