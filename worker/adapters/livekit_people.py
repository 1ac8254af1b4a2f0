"""Who a LiveKit participant is: a person or a program, and what they are called."""

from __future__ import annotations

from typing import Final

from livekit import rtc

from context.primitives.text import clean_name

NUMBER_ATTRIBUTE: Final = "sip.phoneNumber"
"""The number of somebody who takes part by telephone, as LiveKit's SIP service tells it."""
_HUMAN: Final = (
    rtc.ParticipantKind.PARTICIPANT_KIND_STANDARD,
    rtc.ParticipantKind.PARTICIPANT_KIND_SIP,
    rtc.ParticipantKind.PARTICIPANT_KIND_INGRESS,
)


def is_human(participant: rtc.Participant) -> bool:
    """Tell whether somebody is a person (also by phone or ingress), not an agent or a recorder."""
    return participant.kind in _HUMAN


def name_of(participant: rtc.Participant) -> str:
    """Give what a participant is called: their name, else a caller's number, else their identity."""
    if clean_name(participant.name):
        return participant.name
    number = ""
    if participant.kind == rtc.ParticipantKind.PARTICIPANT_KIND_SIP:  # of others it is their own word
        number = clean_name(participant.attributes.get(NUMBER_ATTRIBUTE, ""))
    return number or participant.identity
