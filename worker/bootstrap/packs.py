"""The entity packs that the settings name. Here alone the medical pack is imported, where it is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from context.packs.entity import Pack
from context.packs.meeting_pack import MeetingPack


def packs_named(names: Sequence[str], medical_concepts: str = "builtin") -> list[Pack]:
    """The packs of these names; `medical_concepts`: `builtin`, `medcat`, or the path of a model pack of
    MedCAT's.

    MedCAT takes some seconds to load, before a job asks for its meeting. Raises `Refused`.
    """
    return [_medical(medical_concepts) if name == "medical" else MeetingPack() for name in names]


def _medical(concepts: str) -> Pack:
    from context.packs.medical.pack import MedicalPack

    if concepts == "builtin":
        return MedicalPack()
    from worker.adapters.medcat_concepts import medcat_finder

    return MedicalPack(medcat_finder(None if concepts == "medcat" else Path(concepts)))
