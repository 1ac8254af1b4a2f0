"""Corrections of each kind that the API takes."""

from __future__ import annotations

from tests.unit.cases import beside

FIXES = beside(__file__)["FIXES"]
UTTERANCE = FIXES[0]
