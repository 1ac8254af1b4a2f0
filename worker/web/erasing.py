"""People's rights over their words: erasing them, how long they are kept, consent, and what the record has.

It handles `/v1/erasures`, `/v1/people/{person}`, and `erasures`, `retention` and `consent` of a meeting.
"""

from __future__ import annotations

import uuid
from typing import Annotated, Any, Self

from aiohttp import web
from pydantic import Field, model_validator

from context.erasure_target import Target
from context.ports import Refused
from worker.erasures import NOT_REACHED, Receipt
from worker.messages import ConsentMessage
from worker.ports import name_fault
from worker.web.backends import api_of
from worker.web.bodies import Body, PersonId, read_body
from worker.web.errors import ApiError, json_response
from worker.web.meetings import meeting_of
from worker.web.viewers import NOBODY, actor_of, viewer_of

Turn = Annotated[int, Field(ge=1, le=1_000_000_000)]


class ErasePerson(Body):
    """A wish to erase all words of a person, in every meeting of the tenant."""

    by: PersonId = Field(description="who wishes so, as they call themselves")
    person: PersonId = Field(description="the participant's id (their LiveKit identity)")


class EraseInMeeting(Body):
    """A wish to erase words of one meeting: some turns, those of a person, or all."""

    by: PersonId = Field(description="who wishes so, as they call themselves")
    utterances: Annotated[list[Turn], Field(max_length=10_000)] | None = Field(
        None, description="the numbers of the turns to be emptied"
    )
    person: PersonId | None = Field(None, description="the participant whose words go")
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
        if self.everything:
            return Target(what="meeting")
        return Target(what="person", person=self.person)


class SetRetention(Body):
    """A change of how long a meeting's words are kept; a field that is left out changes nothing."""

    held: bool | None = Field(None, description="true: nothing of it is erased until this is false again")
    keep_days: Annotated[int, Field(ge=1, le=36_500)] | None = Field(
        None, description="so many days after its end its words are erased"
    )


async def erase_person(request: web.Request) -> web.Response:
    """Handle `POST /v1/erasures` (202): holders of live meetings and the dispatcher carry it out later."""
    wish = await read_body(request, ErasePerson)
    return await _ask(request, Target(what="person", person=wish.person), by=wish.by)


async def erase_in_meeting(request: web.Request) -> web.Response:
    """Handle `POST /v1/meetings/{id}/erasures` (202): viewers see the outcome within seconds."""
    row = await meeting_of(request)
    wish = await read_body(request, EraseInMeeting)
    if not wish.utterances:
        viewer_of(request).demand("all")
    return await _ask(request, wish.target(), by=wish.by, meeting_id=row.id)


async def _ask(
    request: web.Request, target: Target, *, by: str, meeting_id: str | None = None
) -> web.Response:
    erasures, id_ = api_of(request).erasures, uuid.uuid4().hex
    try:
        await erasures.ask(target, id_=id_, by=actor_of(request, by).shown, meeting_id=meeting_id)
    except Refused as error:
        raise ApiError(409, str(error)) from error
    receipt = await erasures.receipt(id_)
    assert receipt is not None
    return json_response(receipt_fields(receipt), status=202)


async def set_retention(request: web.Request) -> web.Response:
    """Handle `POST /v1/meetings/{id}/retention`: a legal hold, and for how many days words are kept."""
    row, erasures = await meeting_of(request), api_of(request).erasures
    wish = await read_body(request, SetRetention)
    if wish.held is not None:
        await erasures.hold(row.id, held=wish.held)
    if wish.keep_days is not None:
        await erasures.keep(row.id, wish.keep_days)
    return json_response({"meeting_id": row.id, **wish.model_dump(exclude_none=True)})


async def show_receipt(request: web.Request) -> web.Response:
    """Handle `GET /v1/erasures/{id}`: give the receipt, which says how far the erasure has come."""
    id_ = request.match_info["erasure_id"]
    receipt = await api_of(request).erasures.receipt(id_) if name_fault(id_) is None else None
    if receipt is None:
        raise ApiError(404, "no such erasure", field="erasure_id", value=id_)
    return json_response(receipt_fields(receipt))


def receipt_fields(receipt: Receipt) -> dict[str, Any]:
    """Give a receipt as JSON: what was erased where, by whom and when, whether all is `done`, what stays."""
    target = {"what": receipt.target.what, **receipt.target.model_dump(mode="json", exclude_defaults=True)}
    shown = receipt.model_dump(mode="json")
    return {**shown, "target": target, "done": receipt.done, "not_reached": list(NOT_REACHED)}


class TellConsent(Body):
    """The answer of a participant who was asked whether they may be heard."""

    person: PersonId = Field(description="the participant's id (their LiveKit identity)")
    agreed: bool = Field(description="whether they agree to be heard")
    by: PersonId | None = Field(default=None, description="who tells it for them, where a program does")
    erase: bool = Field(default=False, description="with a no: what they have said so far is deleted, too")


async def tell_consent(request: web.Request) -> web.Response:
    """Handle `POST /v1/meetings/{id}/consent` (202): the holder of a live meeting obeys at once."""
    row = await meeting_of(request)
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
    return json_response({"person": wish.person, "agreed": wish.agreed}, status=202)


async def show_person(request: web.Request) -> web.Response:
    """Handle `GET /v1/people/{person}`: their words, questions and consents, over all meetings."""
    viewer, person = viewer_of(request), request.match_info["person"]
    if not viewer.program and viewer.person != person:
        raise ApiError(403, "only they themselves, or a program, may have it", field="person", value=person)
    if (fault := name_fault(person)) is not None:
        raise ApiError(400, fault, field="person", value=person)
    return json_response(await api_of(request).people.everything(person))
