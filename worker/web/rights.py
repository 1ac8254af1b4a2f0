"""People's rights over their words: erasing them, how long they are kept, consent, and what the record has.

It handles `/v1/erasures`, `/v1/people/{person}`, and `erasures`, `retention` and `consent` of a meeting.
"""

from __future__ import annotations

import uuid
from typing import Annotated, Any, Final, Self

from aiohttp import web
from pydantic import Field, model_validator

from context.erasure.erasure_reach import NotTheirs, Reach, demand
from context.events.actors import Actor
from context.events.erasure_target import Target
from context.ports import Refused
from context.primitives.guest_identity import is_one_of
from context.primitives.person_names import identity_meant
from worker.erasures import NOT_REACHED, Receipt
from worker.messages import NOBODY, ConsentMessage
from worker.names import name_fault
from worker.web.backends import api_of
from worker.web.bodies import Body, MeetingId, PersonId, QueryString, read_body, read_query
from worker.web.json_answers import ApiError, json_response
from worker.web.meetings import meeting_of
from worker.web.viewers import actor_of, own_ids, viewer_of

_FIELDS: Final = {
    "person": "person",
    "utterances": "utterances",
    "stretch": "since_ms",
    "meeting": "everything",
}
"""The field of a body that names what is to be erased, by `Target.what`."""
Turn = Annotated[int, Field(ge=1, le=1_000_000_000)]


class ErasePerson(Body):
    """A body to erase all words that a person spoke, in every meeting of the tenant."""

    by: PersonId = Field(description="who asks for it, as they call themselves")
    person: PersonId = Field(description="the participant's id (their LiveKit identity)")
    people: Annotated[list[PersonId], Field(max_length=100)] = Field(
        default_factory=list, description="other ids that are confirmed to be theirs"
    )

    def target(self) -> Target:
        """Give what is to be erased."""
        return Target(what="person", person=self.person, people=tuple(self.people))


class EraseInMeeting(Body):
    """A body to erase words of one meeting: some turns, those that a person spoke, or all."""

    by: PersonId = Field(description="who asks for it, as they call themselves")
    utterances: Annotated[list[Turn], Field(max_length=10_000)] | None = Field(
        None,
        description="the numbers of the turns to be emptied; with `person` of lines that others spoke and"
        " that are confirmed to be theirs",
    )
    person: PersonId | None = Field(None, description="the participant whose words go")
    people: Annotated[list[PersonId], Field(max_length=100)] = Field(
        default_factory=list, description="with `person`: other ids that are confirmed to be theirs"
    )
    everything: bool = Field(default=False, description="all words of the meeting, and its title")

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        turns = bool(self.utterances) and self.person is None
        if sum((turns, self.person is not None, self.everything)) != 1 or (
            self.everything and self.utterances
        ):
            raise ValueError("utterances: name some, or a person, or everything; one of these alone")
        if self.people and self.person is None:
            raise ValueError("people: name the person whose ids these are, too")
        return self

    def target(self) -> Target:
        """Give what is to be erased."""
        turns = tuple(self.utterances or ())
        if self.person is not None:
            return Target(what="person", person=self.person, people=tuple(self.people), utterances=turns)
        return Target(what="utterances", utterances=turns) if turns else Target(what="meeting")


class ShowWords(Body):
    """A body to show hidden turns again."""

    by: PersonId = Field(description="who asks for it, as they call themselves")
    utterances: Annotated[list[Turn], Field(min_length=1, max_length=10_000)] = Field(
        description="the numbers of the hidden turns"
    )


class SetRetention(Body):
    """A change of how long a meeting's words are kept; a field that is left out changes nothing."""

    held: bool | None = Field(None, description="true: nothing of it is erased until this is false again")
    keep_days: Annotated[int, Field(ge=1, le=36_500)] | None = Field(
        None, description="so many days after its end its words are erased"
    )


async def erase_person(request: web.Request) -> web.Response:
    """Handle `POST /v1/erasures` (202): holders of live meetings and the dispatcher carry it out later."""
    body = await read_body(request, ErasePerson)
    return await _ask(request, body.target(), actor_of(request, body.by))


async def erase_in_meeting(request: web.Request) -> web.Response:
    """Handle `POST /v1/meetings/{id}/erasures` (202): viewers see the outcome within seconds.

    One's own words need no other right; what others spoke, whomever it is shown under, an administrator.
    """
    row = await meeting_of(request)
    body = await read_body(request, EraseInMeeting)
    actor, target = actor_of(request, body.by), body.target()
    if target.person is not None:
        person = identity_meant(target.person, own_ids(request, row.id))
        target = target.model_copy(update={"person": person})
    await _demand_own(request, actor, target, row.id)
    return await _ask(request, target, actor, meeting_id=row.id)


async def show_again(request: web.Request) -> web.Response:
    """Handle `POST /v1/meetings/{id}/shown` (202): show turns again that somebody's `/off` has hidden."""
    row = await meeting_of(request)
    body = await read_body(request, ShowWords)
    actor = actor_of(request, body.by)
    target = Target(what="utterances", utterances=tuple(body.utterances), show=True)
    await _demand_own(request, actor, target, row.id)
    return await _ask(request, target, actor, meeting_id=row.id)


async def _demand_own(request: web.Request, actor: Actor, target: Target, meeting_id: str) -> None:
    """Raise `ApiError` (403) where the body reaches words of others, and this is no administrator.

    And (404) where it reaches nobody's words at all: there is nothing to do. Both are asked again where the
    body is carried out: other turns may have come by then.
    """
    spoken: frozenset[str] = frozenset()
    if target.utterances:
        spoken = await api_of(request).erasures.owners(meeting_id, target.utterances)
        if not spoken and not actor.administrator:
            fault = "nothing was said under these numbers, so nothing is done"
            raise ApiError(404, fault, field="utterances", value=list(target.utterances[:10]))
    reach = Reach(dict(enumerate(spoken)), {}, others_too=target.what == "meeting")
    try:
        demand(actor, target, reach)
    except NotTheirs as error:
        raise ApiError(403, str(error), field=_FIELDS[target.what]) from None


async def _ask(
    request: web.Request,
    target: Target,
    actor: Actor,
    *,
    meeting_id: str | None = None,
) -> web.Response:
    """Ask for an erasure and answer with its receipt; of a person also with what nobody has confirmed.

    That is told to an administrator alone, who may confirm it: ids that were merged with the person's, and
    lines of others that were moved to them.
    """
    erasures, id_ = api_of(request).erasures, uuid.uuid4().hex
    beside: list[dict[str, Any]] = []
    if target.person is not None and actor.administrator:
        others = await erasures.beside(target.person, meeting_id)
        beside = [other.model_dump(mode="json") for other in others if other.has_something]
    try:
        await erasures.ask(target, id_=id_, actor=actor, meeting_id=meeting_id)
    except Refused as error:
        raise ApiError(409, str(error)) from error
    receipt = await erasures.receipt(id_)
    assert receipt is not None
    reaches = {"reaches": beside} if beside else {}
    return json_response({**receipt_fields(receipt), **reaches}, status=202)


class ShowReach(QueryString):
    """The query string of `GET /v1/people/{person}/reach`."""

    meeting_id: MeetingId | None = Field(None, description="in this meeting alone")


async def show_reach(request: web.Request) -> web.Response:
    """Handle `GET /v1/people/{person}/reach`: what an erasure of a person takes, and what is to be confirmed.

    That is other ids that somebody merged with theirs, and lines of others that were moved to them.
    """
    person, body = request.match_info["person"], read_query(request, ShowReach)
    if (fault := name_fault(person)) is not None:
        raise ApiError(400, fault, field="person", value=person)
    others = await api_of(request).erasures.beside(person, body.meeting_id)
    return json_response({"person": person, "reaches": [other.model_dump(mode="json") for other in others]})


async def set_retention(request: web.Request) -> web.Response:
    """Handle `POST /v1/meetings/{id}/retention`: a legal hold, and for how many days words are kept."""
    row, erasures = await meeting_of(request), api_of(request).erasures
    body = await read_body(request, SetRetention)
    if body.held is not None:
        await erasures.hold(row.id, held=body.held)
    if body.keep_days is not None:
        await erasures.keep(row.id, body.keep_days)
    return json_response({"meeting_id": row.id, **body.model_dump(exclude_none=True)})


async def show_receipt(request: web.Request) -> web.Response:
    """Handle `GET /v1/erasures/{id}`: give the receipt, which says how far the erasure has come."""
    id_ = request.match_info["erasure_id"]
    receipt = await api_of(request).erasures.receipt(id_) if name_fault(id_) is None else None
    if receipt is None:
        raise ApiError(404, "no such erasure", field="erasure_id", value=id_)
    return json_response(receipt_fields(receipt))


def receipt_fields(receipt: Receipt) -> dict[str, Any]:
    """Give a receipt as JSON: what was erased where, by whom and when, whether all is `done`, what stays."""
    return {
        **receipt.model_dump(mode="json"),
        "target": _target_fields(receipt.target),
        "done": receipt.done,
        "not_reached": list(NOT_REACHED),
    }


def _target_fields(target: Target) -> dict[str, Any]:
    return {"what": target.what, **target.model_dump(mode="json", exclude_defaults=True)}


class TellConsent(Body):
    """The answer of a participant who was asked whether they may be heard."""

    person: PersonId = Field(description="the participant's id (their LiveKit identity)")
    agreed: bool = Field(description="whether they agree to be heard")
    by: PersonId | None = Field(default=None, description="who tells it for them, where a program does")
    erase: bool = Field(default=False, description="with a no: what they have said so far is deleted, too")


async def tell_consent(request: web.Request) -> web.Response:
    """Handle `POST /v1/meetings/{id}/consent` (202): the holder of a live meeting obeys at once."""
    row = await meeting_of(request)
    body = await read_body(request, TellConsent)
    viewer = viewer_of(request)
    own = own_ids(request, row.id)
    person = identity_meant(body.person, own)
    if not viewer.program and not is_one_of(person, own):
        mend = "only they themselves, or a program, may say it"
        raise ApiError(403, mend, field="person", value=body.person)
    if row.status != "live":
        raise ApiError(409, f"it is {row.status}: nobody is heard", field="meeting_id", value=row.id)
    if (commands := api_of(request).commands) is None:
        raise ApiError(503, "a live meeting is told through Redis: set REDIS_URL")
    message = ConsentMessage(
        id=f"consent-{uuid.uuid4().hex[:12]}",
        person=person,
        agreed=body.agreed,
        erase=body.erase,
        how="http" if viewer.program else "page",
        by=(body.by or NOBODY) if viewer.program else None,
        actor=viewer.actor(body.by or "", own=own or (person,)),
    )
    await commands.ask(row.id, message)
    return json_response({"person": person, "agreed": body.agreed}, status=202)


class ShowPerson(QueryString):
    """The query string of `GET /v1/people/{person}`."""

    meeting_id: MeetingId | None = Field(
        None, description="the meeting in which they are `person`, for who speaks from the pages"
    )


async def show_person(request: web.Request) -> web.Response:
    """Handle `GET /v1/people/{person}`: their words, questions and consents, over all meetings."""
    viewer, own = viewer_of(request), own_ids(request, read_query(request, ShowPerson).meeting_id)
    person = identity_meant(request.match_info["person"], own)
    if not viewer.program and not is_one_of(person, own):
        raise ApiError(403, "only they themselves, or a program, may have it", field="person", value=person)
    if (fault := name_fault(person)) is not None:
        raise ApiError(400, fault, field="person", value=person)
    return json_response(await api_of(request).people.everything(person))
