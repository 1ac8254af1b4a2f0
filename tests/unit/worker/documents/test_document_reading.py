"""Documents: every kind, Korean and English, and one clear line for what cannot be read."""

from __future__ import annotations

from pathlib import Path

import docx
import pytest

from context.corpora.passage import Block, cut_blocks, document_passages
from tests.fakes.pdf import pdf_of
from worker.documents.document_child import content_of
from worker.documents.document_parts import MOST_PARAGRAPHS, DocumentPart, DocumentParts, UnreadableDocument
from worker.documents.document_reading import KINDS, ReadDocument

MARKDOWN = """---
title: 출시 계획서
---
# 개요
출시일은 12월 22일이다. [일정](https://example.com)을 본다.

## Budget
The budget is 4,000 euros.

```
make release
```

Risks
-----
- vendor delay
"""


def read_document(path: Path) -> ReadDocument:
    """What `worker.documents.document_reading` makes of it, without its process (tests/integration/test_call_sandboxed.py)."""
    data, kind = path.read_bytes(), KINDS[path.suffix]
    parts = content_of(kind, data)
    blocks = tuple(Block(text=part.text, heading=part.heading, page=part.page) for part in parts.kept)
    title = parts.title or path.stem
    return ReadDocument(
        title=title, kind=kind, digest="", size_bytes=len(data), blocks=blocks, pages=parts.pages
    )


def write(path: Path, data: bytes | str) -> Path:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def test_markdown_has_a_title_and_headings(tmp_path: Path) -> None:
    read = read_document(write(tmp_path / "plan.md", MARKDOWN))
    assert (read.title, read.kind, read.pages) == ("출시 계획서", "markdown", None)
    assert [(block.heading, block.text) for block in read.blocks] == [
        ("개요", "출시일은 12월 22일이다. 일정을 본다."),
        ("개요 > Budget", "The budget is 4,000 euros."),
        ("개요 > Budget", "make release"),
        ("개요 > Risks", "- vendor delay"),
    ]


def test_without_a_title_the_first_heading_then_the_name(tmp_path: Path) -> None:
    assert read_document(write(tmp_path / "a.md", "# Price list\nten")).title == "Price list"
    assert read_document(write(tmp_path / "회의 자료.txt", "내용")).title == "회의 자료"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp949"])
def test_text_in_the_encodings_people_save_korean_in(tmp_path: Path, encoding: str) -> None:
    read = read_document(write(tmp_path / "a.txt", "가격표\n\n서버는 대당 300만 원".encode(encoding)))
    assert [block.text for block in read.blocks] == ["가격표", "서버는 대당 300만 원"]


def test_english_in_an_old_encoding(tmp_path: Path) -> None:
    read = read_document(write(tmp_path / "a.txt", "Caf\xe9 \x96 closed".encode("latin-1")))
    assert read.blocks[0].text == "Café – closed"


def test_form_feeds_part_pages(tmp_path: Path) -> None:
    read = read_document(write(tmp_path / "a.txt", "one\f이\fthree"))
    assert [(block.page, block.text) for block in read.blocks] == [(1, "one"), (2, "이"), (3, "three")]
    assert read.pages == 3


def test_pdf_pages_and_title_in_korean_and_english(tmp_path: Path) -> None:
    pages = ["Price list\nServers are 3,000 each", "둘째 쪽\n백신 예산은 이억 원입니다"]
    read = read_document(write(tmp_path / "a.pdf", pdf_of(pages, title="가격표 2026")))
    assert (read.title, read.pages) == ("가격표 2026", 2)
    assert "Servers are 3,000 each" in read.blocks[0].text
    assert {block.page for block in read.blocks} == {1, 2}
    passages = document_passages(cut_blocks(read.blocks), "d-1", read.title)
    assert [passage.citation for passage in passages] == ["가격표 2026 p. 1", "가격표 2026 p. 2"]
    assert "백신 예산은 이억 원입니다" in passages[1].text


def test_a_pdf_s_gaps_between_words_and_fonts_are_one_blank(tmp_path: Path) -> None:
    page = "연차  휴가는  첫해에\t11 일입니다 .\nTen  days , see .env (page 2) ."
    read = read_document(write(tmp_path / "a.pdf", pdf_of([page])))
    assert read.blocks[0].text == "연차 휴가는 첫해에 11 일입니다.\nTen days, see .env (page 2)."


def test_word_paragraphs_tables_and_headings(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Onboarding", 0)
    document.add_heading("첫 주", 1)
    document.add_paragraph("노트북을 받습니다.")
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Badge", "desk 4"
    document.save(str(tmp_path / "a.docx"))
    read = read_document(tmp_path / "a.docx")
    assert (read.title, read.kind) == ("Onboarding", "docx")
    assert [(block.heading, block.text) for block in read.blocks] == [
        ("Onboarding > 첫 주", "노트북을 받습니다."),
        ("Onboarding > 첫 주", "Badge | desk 4"),
    ]


def test_passages_are_of_one_page_and_bounded(tmp_path: Path) -> None:
    long = "\n\n".join(
        f"문장 {number} 예산 항목을 설명하는 조금 긴 글입니다. And English too." for number in range(200)
    )
    blocks = read_document(write(tmp_path / "a.txt", long)).blocks
    passages = document_passages(cut_blocks(blocks), "d-1", "긴 글")
    assert len(passages) > 5
    assert max(len(passage.text.split()) for passage in passages) < 250
    assert [passage.position for passage in passages] == list(range(len(passages)))
    told = " ".join(" ".join(passage.text for passage in passages).split())
    assert told == " ".join(long.split())


@pytest.mark.parametrize(
    "text",
    ["가" * 100_000, "x" * 100_000, "가나다라마바사 " * 10_000, "wordswithoutend" * 5 + " word " * 9_000],
    ids=["가", "x", "가나다", "words"],
)
def test_no_passage_is_long_however_its_words_are(text: str) -> None:
    heading = "제목" * 140
    blocks = [
        Block(text=text),
        *(Block(text="x", heading=f"{heading} {number}") for number in range(100)),
    ]
    cut = cut_blocks(blocks)
    assert max(len(block.text) for block in cut) <= 5_000
    told = "".join("".join(block.text for block in cut).split())
    assert told.startswith("".join(text.split()))
    (passage, *_) = document_passages(cut, "d-1", "title", access=("alice",))
    assert passage.access == ("alice",)


def test_parts_are_counted_and_bounded() -> None:
    parts = DocumentParts()
    parts.add(DocumentPart("가격 " * 10_000 + "끝", heading="h" * 1_000))
    assert [len(part.text) for part in parts.kept] == [19_998, 10_003]
    assert "".join(part.text for part in parts.kept) == "가격 " * 10_000 + "끝"
    assert {len(part.heading) for part in parts.kept} == {300}
    for _ in range(MOST_PARAGRAPHS - 1):
        parts.add(DocumentPart(""))
    with pytest.raises(UnreadableDocument, match="more than 50,000 paragraphs"):
        parts.add(DocumentPart("one more"))


def test_merged_cells_stand_once_in_a_row(tmp_path: Path) -> None:
    document = docx.Document()
    table = document.add_table(rows=2, cols=3)
    table.cell(0, 0).merge(table.cell(1, 0)).text = "서버"
    table.cell(0, 1).merge(table.cell(0, 2)).text = "Price"
    table.cell(1, 1).text, table.cell(1, 2).text = "3", "300만 원"
    document.save(str(tmp_path / "a.docx"))
    assert [block.text for block in read_document(tmp_path / "a.docx").blocks] == [
        "서버 | Price",
        "서버 | 3 | 300만 원",
    ]
