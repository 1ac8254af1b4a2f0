"""`/v1/erasures` and `/v1/meetings/{id}/erasures`: words taken back, and how far that has come.

`POST /v1/meetings/{id}/consent`: somebody agrees to be heard, or does not.

`GET /v1/people/{person}`: everything that the record has of one person.
"""

from __future__ import annotations

import uuid
from typing import Annotated, Any, Self

from aiohttp import web
from pydantic import Field, model_validator

from context.erasure.target import Target
from context.ports import Refused
from worker.erasures import Receipt
from worker.messages import ConsentMessage
from worker.web.backends import api_of
from worker.web.bodies import Asker, Body, read_body
from worker.web.errors import ApiError, answered
from worker.web.meetings import found
from worker.web.viewers import NOBODY, viewer_of

Turn = Annotated[int, Field(ge=1, le=1_000_000_000)]


class ErasePerson(Body):
    """All words of a person, in every meeting of the tenant."""

    by: Asker = Field(description="who wishes so, as they call themselves")
    person: Asker = Field(description="the participant's id (their LiveKit identity)")


class EraseInMeeting(Body):
    """Words of one meeting: some turns, a person's, or all."""

    by: Asker = Field(description="who wishes so, as they call themselves")
    utterances: Annotated[list[Turn], Field(max_length=10_000)] | None = Field(
        None, description="the numbers of the turns to be emptied"
    )
    person: Asker | None = Field(None, description="the participant whose words go")
    everything: bool = Field(default=False, description="all words of the meeting, and its title")

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if sum((bool(self.utterances), self.person is not None, self.everything)) != 1:
            raise ValueError("utterances: name some, or a person, or everything; one of these alone")
        return self

    def target(self) -> Target:
        """Give what is to be erased."""
        if self.utterances:
            return Target(what="utterances", utterances=tuple(self.utterances))
        return Target(what="meeting") if self.everything else Target(what="person", person=self.person)


class SetRetention(Body):
    """How long a meeting's words are kept."""

    held: bool | None = Field(None, description="true: nothing of it is erased until this is false again")
    keep_days: Annotated[int, Field(ge=1, le=36_500)] | None = Field(
        None, description="so many days after its end its words are erased"
    )


async def erase_person(request: web.Request) -> web.Response:
    """Taken: a live meeting's holder and the dispatcher carry it out."""
    wish = await read_body(request, ErasePerson)
    return await _asked(request, Target(what="person", person=wish.person), by=wish.by)


async def erase_in_meeting(request: web.Request) -> web.Response:
    """Taken; those who watch see it within seconds."""
    row = await found(request)
    wish = await read_body(request, EraseInMeeting)
    if not wish.utterances:
        viewer_of(request).demand("all")
    return await _asked(request, wish.target(), by=wish.by, meeting_id=row.id)


async def _asked(
    request: web.Request, target: Target, *, by: str, meeting_id: str | None = None
) -> web.Response:
    erasures, id_ = api_of(request).erasures, uuid.uuid4().hex
    try:
        await erasures.ask(target, id_=id_, by=viewer_of(request).acts_as(by), meeting_id=meeting_id)
    except Refused as error:
        raise ApiError(409, str(error)) from error
    receipt = await erasures.receipt(id_)
    assert receipt is not None
    return answered(shown(receipt), status=202)


async def set_retention(request: web.Request) -> web.Response:
    """A legal hold, and a time of its own for one meeting; what is not given stays."""
    row, erasures = await found(request), api_of(request).erasures
    wish = await read_body(request, SetRetention)
    if wish.held is not None:
        await erasures.hold(row.id, held=wish.held)
    if wish.keep_days is not None:
        await erasures.keep(row.id, wish.keep_days)
    return answered({"meeting_id": row.id, **wish.model_dump(exclude_none=True)})


async def show_receipt(request: web.Request) -> web.Response:
    """How far it has come; when it is done, the receipt."""
    id_ = request.match_info["erasure_id"]
    receipt = await api_of(request).erasures.receipt(id_)
    if receipt is None:
        raise ApiError(404, "no such erasure", field="erasure_id", value=id_)
    return answered(shown(receipt))


def shown(receipt: Receipt) -> dict[str, Any]:
    """A receipt as JSON: what was erased where, by whom and when; no word of it."""
    target = {"what": receipt.target.what, **receipt.target.model_dump(mode="json", exclude_defaults=True)}
    return {**receipt.model_dump(mode="json"), "target": target, "done": receipt.done}


class TellConsent(Body):
    """What a participant says to being heard."""

    person: Asker = Field(description="the participant's id (their LiveKit identity)")
    agreed: bool = Field(description="whether they agree to be heard")
    by: Asker | None = Field(default=None, description="who tells it for them, where a program does")
    erase: bool = Field(default=False, description="with a no: what they have said so far is deleted, too")


async def tell_consent(request: web.Request) -> web.Response:
    """Taken: the holder obeys at once."""
    row = await found(request)
    wish = await read_body(request, TellConsent)
    viewer = viewer_of(request)
    if not viewer.program and viewer.person != wish.person:
        mend = "only they themselves, or a program, may say it"
        raise ApiError(403, mend, field="person", value=wish.person)
    if row.status != "live":
        raise ApiError(409, f"it is {row.status}: nobody is heard", field="meeting_id", value=row.id)
    if (orders := api_of(request).orders) is None:
        raise ApiError(503, "a live meeting is told through Redis: set REDIS_URL")
    message = ConsentMessage(
        id=f"consent-{uuid.uuid4().hex[:12]}",
        person=wish.person,
        agreed=wish.agreed,
        erase=wish.erase,
        how="http" if viewer.program else "page",
        by=(wish.by or NOBODY) if viewer.program else None,
    )
    await orders.ask(row.id, message)
    return answered({"person": wish.person, "agreed": wish.agreed}, status=202)


async def show_person(request: web.Request) -> web.Response:
    """Their words, questions and consents, over all meetings."""
    viewer, person = viewer_of(request), request.match_info["person"]
    if not viewer.program and viewer.person != person:
        raise ApiError(403, "only they themselves, or a program, may have it", field="person", value=person)
    return answered(await api_of(request).people.everything(person))
