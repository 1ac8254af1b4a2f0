"""Passages of an earlier meeting and of a document."""

from __future__ import annotations

from context.corpora.passage import Passage
from tests.contracts.events import NINE

KO, EN = "출시일은 십이월 이십이일로 결정하겠습니다.", "The buttons will be of rubber. 👋"


def said(text: str, position: int = 0, source: str = "m-1", **fields: object) -> Passage:
    return Passage(
        **{
            "corpus": "earlier",
            "source_id": source,
            "position": position,
            "text": text,
            "prefix": "주간 회의 · 출시 · 김민지",
            "title": "주간 회의",
            "first": 10 * position + 1,
            "last": 10 * position + 9,
            "said_at": NINE,
            "topic": "출시",
            "speakers": ("김민지", "Ben Carter"),
        }
        | fields
    )


def page(text: str, position: int = 0, source: str = "doc-1", **fields: object) -> Passage:
    return Passage(corpus="document", source_id=source, position=position, text=text, page=3, **fields)
