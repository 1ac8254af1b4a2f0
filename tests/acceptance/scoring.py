"""Scores of a transcribed meeting against its truth: character errors, lost lines, wrong speakers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def norm(text: str) -> str:
    """Letters and digits only, in lower case."""
    return re.sub(r"[^\w]", "", text).lower()


def align(ref: str, hyp: str) -> tuple[int, list[str]]:
    """Levenshtein: total distance, and for each character of `ref` whether it is ok, sub or del."""
    n, m = len(ref), len(hyp)
    d = np.zeros((n + 1, m + 1), np.int32)
    d[:, 0], d[0, :] = np.arange(n + 1), np.arange(m + 1)
    h = np.array([ord(c) for c in hyp], np.int32)
    for i in range(1, n + 1):
        sub = d[i - 1, :-1] + (h != ord(ref[i - 1])) if m else np.zeros(0, np.int32)
        row = np.minimum(d[i - 1, 1:] + 1, sub)
        left = i
        for j in range(m):
            left = row[j] = min(row[j], left + 1)
        d[i, 1:] = row
    i, j, kind = n, m, [""] * n
    while i > 0 or j > 0:
        if i and j and d[i, j] == d[i - 1, j - 1] + (ref[i - 1] != hyp[j - 1]):
            kind[i - 1] = "ok" if ref[i - 1] == hyp[j - 1] else "sub"
            i, j = i - 1, j - 1
        elif i and d[i, j] == d[i - 1, j] + 1:
            kind[i - 1] = "del"
            i -= 1
        else:
            j -= 1
    return int(d[n, m]), kind


def score(meeting: Mapping[str, Any], said: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """`meeting`: the truth (meeting.json); `said`: speaker → texts in order.

    A lost line has 80 % of its characters deleted.
    """
    errors = chars = lost = 0
    for who in meeting["participants"]:
        lines = [norm(line["text"]) for line in meeting["lines"] if line["speaker"] == who]
        e, kind = align("".join(lines), norm("".join(said.get(who, []))))
        errors += e
        chars += sum(map(len, lines))
        at = 0
        for line in lines:
            part = kind[at : at + len(line)]
            at += len(line)
            lost += part.count("del") >= 0.8 * len(line)
    strangers = sorted(set(said) - set(meeting["participants"]))
    return {
        "cer": round(errors / chars, 4),
        "lines": len(meeting["lines"]),
        "lost": lost,
        "strangers": strangers,
    }
