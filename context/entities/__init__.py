"""What a text names, by kind: people, dates, amounts, decisions, actions; and what consultations name."""

from context.entities.entity import Entity, Pack, by_kind
from context.entities.meeting_pack import MeetingPack

__all__ = ["Entity", "MeetingPack", "Pack", "by_kind"]
