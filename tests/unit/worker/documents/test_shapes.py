"""Documents in any shape: composed letters, nothing hidden; paragraphs keep their lines."""

from __future__ import annotations

import io
import unicodedata

import docx
import pytest

from worker.documents.document_reading import read_bytes


@pytest.mark.parametrize("name", ["가격표.md", "plan.txt"])
async def test_a_text_is_composed_and_keeps_its_lines(name: str) -> None:
    written = "# 가격표 한글\n\n서버는 월\u200b 백만 원입니다.\n계약은 1년입니다.\n\n\u200b\n\nZoë decides."
    told = await read_bytes(
        unicodedata.normalize("NFD", name), unicodedata.normalize("NFD", written).encode()
    )
    (block,) = told.blocks
    assert block.text.endswith("서버는 월 백만 원입니다.\n계약은 1년입니다.\nZoë decides.")
    again = await read_bytes(name, written.encode())
    assert told == again.model_copy(update={"digest": told.digest, "size_bytes": told.size_bytes})
    assert told.title == ("가격표 한글" if name.endswith(".md") else "plan")


async def test_a_word_document_is_composed() -> None:
    document = docx.Document()
    document.core_properties.title = unicodedata.normalize("NFD", "출시\n계획")
    document.add_paragraph(unicodedata.normalize("NFD", "출시일은 11월 20일입니다."))
    data = io.BytesIO()
    document.save(data)
    told = await read_bytes("a.docx", data.getvalue())
    assert (told.title, [block.text for block in told.blocks]) == ("출시 계획", ["출시일은 11월 20일입니다."])
