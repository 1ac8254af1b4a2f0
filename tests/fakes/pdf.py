"""A PDF with real text in it, Korean too: one string per page."""

from __future__ import annotations

import io
from collections.abc import Sequence

from pypdf import PdfReader, PdfWriter


def pdf_of(pages: Sequence[str], title: str = "", password: str = "") -> bytes:
    """Each line of a page as a line of text, in a font whose ToUnicode table names every character."""
    chars = sorted({char for page in pages for char in page if char != "\n"})
    code = {char: number + 1 for number, char in enumerate(chars)}
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    def stream(data: bytes) -> bytes:
        return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(data), data)

    rows = [f"<{number:04X}> <{char.encode('utf-16-be').hex().upper()}>" for char, number in code.items()]
    blocks = "\n".join(
        f"{len(rows[start : start + 100])} beginbfchar\n"
        + "\n".join(rows[start : start + 100])
        + "\nendbfchar"
        for start in range(0, len(rows), 100)
    )
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <FFFF> endcodespacerange\n{blocks}\nendcmap end end"
    )
    unicode_ = add(stream(cmap.encode()))
    descendant = add(
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 1000 "
        b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>"
    )
    font = add(
        b"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H "
        b"/DescendantFonts [%d 0 R] /ToUnicode %d 0 R >>" % (descendant, unicode_)
    )
    parent = len(objects) + 2 * len(pages) + 1
    kids = []
    for page in pages:
        lines = "".join(
            f"<{''.join(f'{code[char]:04X}' for char in line)}> Tj 0 -20 Td " for line in page.split("\n")
        )
        content = add(stream(f"BT /F 12 Tf 50 750 Td {lines} ET".encode()))
        kids.append(
            add(
                b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 600 800] /Contents %d 0 R "
                b"/Resources << /Font << /F %d 0 R >> >> >>" % (parent, content, font)
            )
        )
    listed = b" ".join(b"%d 0 R" % kid for kid in kids)
    add(b"<< /Type /Pages /Kids [%s] /Count %d >>" % (listed, len(kids)))
    catalog = add(b"<< /Type /Catalog /Pages %d 0 R >>" % parent)
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer << /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        catalog,
        start,
    )
    if not title and not password:
        return bytes(out)
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(bytes(out))))
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()
