"""What a parser may do to the process that it runs in, and files that make one do it."""

from __future__ import annotations

import io
import os
import signal
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import docx

from worker.sandbox.sandbox_faults import Declined

Function = Callable[[str, bytes], bytes]


def echo(argument: str, data: bytes) -> bytes:
    print("a parser that prints")
    return argument.encode() + data[::-1]


def spin(_argument: str, _data: bytes) -> bytes:
    while True:
        pass


def sleep(_argument: str, _data: bytes) -> bytes:
    time.sleep(600)
    return b""


def fill(_argument: str, _data: bytes) -> bytes:
    kept = []
    while True:
        kept.append(bytes(1 << 20))


def flood(_argument: str, _data: bytes) -> bytes:
    return bytes(50 << 20)


def decline(argument: str, _data: bytes) -> bytes:
    raise Declined(f"{argument}: 읽을 수 없습니다")


def fail(_argument: str, _data: bytes) -> bytes:
    raise KeyError("a secret of the file")


def crash(_argument: str, _data: bytes) -> bytes:
    os.kill(os.getpid(), signal.SIGSEGV)
    return b""


def look(_argument: str, _data: bytes) -> bytes:
    return "\n".join(sorted(os.environ)).encode()


def write(argument: str, _data: bytes) -> bytes:
    Path(argument).write_bytes(b"x")
    return b""


PARAGRAPH = "<w:p><w:r><w:t>안녕 hello</w:t></w:r></w:p>"


def docx_of(inner: str, times: int = 1) -> bytes:
    """A Word document whose body begins with this XML, so many times."""
    blank, made = io.BytesIO(), io.BytesIO()
    docx.Document().save(blank)
    with zipfile.ZipFile(blank) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for each in old.infolist():
            data = old.read(each)
            if each.filename == "word/document.xml":
                data = data.replace(b"<w:body>", b"<w:body>" + (inner * times).encode())
            new.writestr(each.filename, data)
    return made.getvalue()


def count_up(argument: str, file: BinaryIO) -> Iterator[bytes]:
    """Give as many pieces as the argument says, then what the file holds; decline where that is "fault"."""
    print("a parser that prints")
    for number in range(int(argument)):
        yield str(number).encode()
    file.seek(0)
    if (rest := file.read()) == b"fault":
        raise Declined("여기서 끝")
    if rest == b"crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if rest == b"hang":
        time.sleep(600)
    if rest == b"spin":
        while True:
            pass
    if rest == b"fill":
        yield bytes(2 << 30)
    if rest == b"large":
        yield bytes(1 << 21)
    yield rest
