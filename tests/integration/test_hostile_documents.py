"""Documents that are there to hold a reader up: each is one clear line, soon, and nothing is left of it."""

from __future__ import annotations

import asyncio
import re
import time
import zipfile
from pathlib import Path

import pytest

from tests.fakes.documents import FakeDocumentStore
from tests.fakes.hostile import PARAGRAPH, docx_of
from tests.fakes.passages import FakePassages
from tests.fakes.pdf import pdf_of
from tests.fakes.waiting import beside
from worker.clock import now_utc
from worker.documents.document_reading import read_bytes, read_document
from worker.documents.library import Library
from worker.errors import InputError

TABLE = "<w:tbl><w:tblGrid/><w:tr>{}</w:tr></w:tbl>"
SPANNING = f'<w:tc><w:tcPr><w:gridSpan w:val="100000000"/></w:tcPr>{PARAGRAPH}</w:tc>'

MANY_HEADINGS = "".join(f"# {number}\n{'단어 ' * 24}\n" for number in range(24_000)).encode()


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.docx", docx_of(PARAGRAPH, 600_000), "this document has more than 50,000 paragraphs"),
        ("a.docx", docx_of("<w:p/>", 600_000), "this document has more than 50,000 paragraphs"),
        ("a.md", MANY_HEADINGS, "this document has more than 20,000 passages"),
        (
            "a.docx",
            docx_of(TABLE.format(f"<w:tc>{'<w:p/>' * 600_000}</w:tc>")),
            "more than 50,000 paragraphs",
        ),
        ("a.docx", docx_of("<w:sdt>", 100_000), "is a broken Word document"),
        ("a.txt", b"x\n\n" * 6_000_000, "this document has more than 50,000 paragraphs"),
        ("a.txt", b"x\f" * 6_000, "this document has more than 5,000 pages"),
        ("a.txt", b"x" * 20_000_000, "this document has more than 5,000,000 characters"),
        ("a.md", b"<!--" * 5_000_000, "this document has more than 5,000,000 characters"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_goes_on_for_ever_is_refused_soon(name: str, data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)) as raised:  # and not that it takes too long
        await read_bytes(name, data, within_s=20)
    assert str(raised.value).startswith(f"{name}: ")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.docx", docx_of(TABLE.format(SPANNING))),
        ("a.md", b"[" * 2_000_000),
        ("a.md", b"![a](" * 500_000),
        ("a.md", b"[a](x(y)" * 500_000),
        ("a.md", b"# " + b" " * 1_000_000 + b"x\n\nhello"),
        ("a.md", b"---\ntitle: " + b" " * 1_000_000 + b"x\n---\nhello"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_only_looks_endless_is_read(name: str, data: bytes) -> None:
    read = await read_bytes(name, data, within_s=20)
    assert max(len(block.text) for block in read.blocks) <= 5_000


async def test_at_the_deadline_it_is_told_how_to_go_on() -> None:
    runs = docx_of(f"<w:p>{'<w:r><w:br/></w:r>' * 2_000_000}</w:p>")
    with pytest.raises(
        InputError, match=r"^a\.docx: reading it takes more than 1 s: split it, or use `moim docs add`"
    ):
        await read_bytes("a.docx", runs, within_s=1)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.pdf", b"", "is empty"),
        ("a.txt", b" \n \n", "has no text"),
        ("a.pdf", b"%PDF-1.7\nrubbish", "is a broken PDF"),
        ("a.pdf", b"hello", "is no PDF"),
        ("a.pdf", pdf_of(["secret"], password="x"), "is encrypted"),
        ("a.pdf", pdf_of([""]), "OCR"),
        ("a.docx", b"PK\x03\x04 no zip", "is a broken Word document"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....", "is encrypted or in the old .doc format"),
        ("a.txt", bytes(range(128)) * 4, "is no text"),
        ("a.xlsx", b"PK", "no kind of document"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",  # bytes differ from run to run
)
async def test_what_cannot_be_read_is_one_clear_line(
    tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError) as raised:
        await read_document(path)
    text = str(raised.value)
    assert text.startswith(str(path))
    assert said in text
    assert "\n" not in text


@pytest.mark.parametrize("member", ["hello.txt", "[Content_Types].xml"])
async def test_a_zip_that_is_no_word_document(tmp_path: Path, member: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr(member, "<Types/>")
    with pytest.raises(InputError, match=r"is a broken Word document: save it anew as \.docx$"):
        await read_document(tmp_path / "a.docx")


async def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        await read_document(tmp_path / "none.md")
    (tmp_path / "dir.md").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        await read_document(tmp_path / "dir.md")


@pytest.mark.parametrize(
    "data",
    [b"\xea\xb0\x80" * 4_900_000, "단어 하나\n\n".encode() * 49_000, "가나다라마바사 ".encode() * 600_000],
    ids=["one word", "paragraphs", "words"],
)
async def test_while_the_largest_is_read_and_kept_the_process_goes_on(data: bytes) -> None:
    worst_s = 0.0

    async def look() -> None:
        """What others wait for is what this thread computes at a stretch, however busy the machine is."""
        nonlocal worst_s
        while True:
            before_s = time.thread_time()
            await asyncio.sleep(0.01)
            worst_s = max(worst_s, time.thread_time() - before_s)

    passages = FakePassages()
    async with beside(look()):
        read = await read_bytes("a.txt", data, within_s=60)
        added = await Library(FakeDocumentStore(), passages).add(read, "upload:a.txt", now_utc())
    assert added.document.passages == len(read.blocks)
    assert worst_s < 1.0
