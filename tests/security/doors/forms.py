"""Minutes in a form of one's own: hostile words in a careless template, and hostile templates.

The words are said, and chosen as names and titles, at a real dispatcher whose template puts them where Markdown is most
easily broken: at the beginning of lines, in tables, in HTML, turned round. What got in: structure, in the export or in the
push, that plain words do not have. The templates reach for Python's insides, for files, for ever, or for all memory: what
got in is anything but our own form of the minutes.
"""

from __future__ import annotations

import asyncio
import html
import json
from collections.abc import Sequence
from typing import Any, Final

from markdown_it import MarkdownIt

from context.export.markup import settled
from context.export.minutes import to_markdown
from context.export.template_values import template_values
from tests.security.doors import Outcome
from tests.security.doors.house import WITHIN_S, Tenant, at_work, servers
from worker.configuration.settings import Settings
from worker.messages import SegmentMessage
from worker.minutes.filling import fill_in
from worker.minutes.minutes_writing import minutes, sample

READER: Final = MarkdownIt("commonmark").enable(["table", "strikethrough"])
MEETING: Final = "m-forms"
CARELESS: Final = """\
# {{ title }}

{% for said in transcript %}
{{ said.text }}
{{ said.speaker }}

- {{ said.text }}
1. {{ said.text|reverse }}
> {{ said.text }}

| {{ said.speaker }} | {{ said.text|upper }} |
|---|---|
| {{ said.text|truncate(9, true) }} | x |

<div>
{{ said.text }}
</div>

{% endfor %}
"""
WORDS: Final = (
    "# Decisions", "- [ ] task", "1. one", "12) twelve", "+ plus", "---", "===", "***", "--- | ---", ":--", ": definition", "```",
    "~~~ sh", "> quote", "| a | b |", "[x](javascript:alert(1))", "![x](http://e)", "[x]: http://e", "<b>x</b>", "<script>alert(1)</script>",
    "<!-- x", "--> x", "</div>", "<https://e.example>", "`code`", "*a* __b__ ~~c~~", "&lt;b&gt; &#60;b&#62;", "a\\", "\\*a\\*",
    "{{ title.__class__ }}", "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}", "{% include '/etc/passwd' %}",
    "{# gone #}", "회의 *결정* # 사항", "**Ben** (10:00:00): I resign. [#9]", "x\u2028# Decisions", "\U000e0023 Decisions",
)  # fmt: skip
OUT_OF_THE_SANDBOX: Final = (
    "{{ title.__class__.__mro__[1].__subclasses__() }}",
    "{{ ''['__class__'] }}",
    "{{ title|attr('__class__') }}",
    "{{ participants|map(attribute='__class__')|join }}",
    "{{ '{0.__class__}'.format(title) }}",
    "{{ '{x.__class__.__init__.__globals__}'.format_map({'x': title}) }}",
    "{{ self.__init__.__globals__ }}",
    "{{ self._TemplateReference__context }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ joiner.__init__.__globals__ }}",
    "{{ namespace.__init__.__globals__ }}",
    "{{ range.__self__ }}",
    "{{ lipsum.__globals__ }}",
    "{{ decisions.append(1) }}",
    "{{ participants[0].update(name='x') }}",
    "{{ participants[0].pop('name') }}",
    "{% macro m() %}{% endmacro %}{{ m.__globals__ }}",
    "{% macro m() %}{% endmacro %}{{ m._func }}",
    "{{ (1).__reduce_ex__(2) }}",
    "{{ open('/etc/passwd').read() }}",
    "{{ config }}",
    "{{ environment }}",
    "{% include '/etc/passwd' %}",
    "{% from '/etc/passwd' import x %}",
    "{{ [title]|random }}",
)
TOO_MUCH: Final = (
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}x",
    "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}x",
    "{{ 10 ** (10 ** 10) }}",
    "{{ range(10 ** 9)|list }}",
    "{{ 'a' * 10 ** 10 }}",
    "{{ '%1000000000d' % 1 }}",
    "{{ ('{:>' ~ 10 ** 10 ~ '}').format(1) }}",
    "{{ 'a'.ljust(10 ** 10) }}",
    "{{ title|center(10 ** 10) }}",
    "{{ ('a' * 10 ** 6)|replace('a', 'a' * 10 ** 6) }}",
    "{% set ns = namespace(x='aa') %}{% for a in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% for a in range(9999) %}{{ title * 200 }}{% endfor %}",
    f"{'{% if 1 %}' * 5000}x{'{% endif %}' * 5000}",
    f"{{{{ {'(' * 5000}1{')' * 5000} }}}}",
)
_AT_ONCE: Final = 4
"""Templates at work side by side."""


async def attack(seed: int) -> Outcome:
    """Say all words, try all templates; `seed` draws nothing."""
    del seed
    got_in: list[str] = []
    async with servers() as ground:
        path = ground.folder / "careless.md.j2"
        path.write_text(CARELESS, "utf-8")
        async with at_work(ground, "ten1", "x", MOIM_MINUTES_TEMPLATE=str(path)) as tenant:
            got_in += await _saying(tenant)
        hostile = [*OUT_OF_THE_SANDBOX, *TOO_MUCH]
        made = await written_by(hostile)
        own = to_markdown(sample("full.json"), own_form_failed=True)
        got_in += [
            f"a template wrote minutes: {text[:80]}"
            for text, came in zip(hostile, made, strict=True)
            if came != own
        ]
    return Outcome(len(WORDS) + len(hostile), tuple(got_in), {"words": len(WORDS), "templates": len(hostile)})


async def written_by(templates: Sequence[str]) -> list[str]:
    """The minutes of the full sample, by each of these templates as if it had been the setting's."""
    places = asyncio.Semaphore(_AT_ONCE)
    settings = Settings.from_env({"MOIM_MINUTES_TEMPLATE": ""})

    async def one(text: str) -> str:
        async with places:
            return await minutes(sample("full.json"), settings.model_copy(update={"minutes_template": text}))

    return list(await asyncio.gather(*map(one, templates)))


async def _saying(tenant: Tenant) -> list[str]:
    await tenant.http("POST", "/meetings", {"meeting_id": MEETING, "title": "# 1. <b>Title</b> {{ title }}"})
    for number, words in enumerate(WORDS, 1):
        segment = SegmentMessage(
            id=f"s{number}", speaker=f"p-{number}", name=words, text=words, start_ms=number * 2000, end_ms=number * 2000 + 900,
        )  # fmt: skip
        await tenant.bus.send_segment(MEETING, segment)
    await tenant.heard(MEETING, len(WORDS))
    await tenant.http("POST", f"/meetings/{MEETING}/end")
    await tenant.reaches(MEETING, "ended")
    document = await tenant.document(MEETING)
    found = [] if await tenant.http("GET", f"/meetings/{MEETING}/export?format=md") == 200 else ["no minutes"]
    exported, harmless = tenant.seen[-1], shape_of(_filled_in(_plain(document)))
    if shape_of(exported) != harmless:
        found.append(f"structure in the export: {_first_difference(exported, harmless)}")
    found += [f"HTML in the export: {line}" for line in _tags(exported)]
    said = html.unescape(exported.replace("\\", ""))
    found += [f"{words!r} cannot be read in the minutes" for words in WORDS if _bare(words) not in said]
    pushed = await _pushed(tenant)
    return found if pushed == exported else [*found, f"other minutes were pushed: {pushed[:200]!r}"]


async def _pushed(tenant: Tenant) -> str:
    async with asyncio.timeout(WITHIN_S):
        while True:
            of_it = [
                each
                for each in tenant.hook.taken
                if each["kind"] == "minutes" and each["meeting_id"] == MEETING
            ]
            if of_it:
                return str(of_it[-1]["minutes"]["markdown"])
            await asyncio.sleep(0.1)


def _plain(document: dict[str, Any]) -> dict[str, Any]:
    """The same meeting, with one harmless word in the place of each text."""
    plain = json.loads(json.dumps(document))
    plain["meeting"]["title"] = "x"
    for person in plain["participants"]:
        person["name"] = "x"
    for said in plain["utterances"]:
        said["text"] = "x"
    return dict(plain)


def _filled_in(document: dict[str, Any]) -> str:
    data = json.dumps({"template": CARELESS, "values": template_values(document)}).encode()
    return settled(fill_in("sample", data).decode())


def shape_of(markdown: str) -> list[str]:
    """The structure alone: which blocks and marks there are, without their words."""
    found = []
    for token in READER.parse(markdown):
        found.append(f"{token.type} {token.markup}")
        found += [each.type for each in token.children or () if each.type not in {"text", "text_special"}]
    return found


def _first_difference(markdown: str, wanted: list[str]) -> str:
    pairs = enumerate(zip(shape_of(markdown), wanted, strict=False))
    return next((f"{came} for {due} at {place}" for place, (came, due) in pairs if came != due), "its length")


def _tags(markdown: str) -> list[str]:
    """The lines that hold a tag which is not the template's."""
    return [line for line in markdown.splitlines() if "<" in line and line not in {"<div>", "</div>"}]


def _bare(words: str) -> str:
    """Words as they are compared: without the signs that escape, and what nobody sees."""
    return " ".join(words.split()).replace("\\", "").replace("\U000e0023", "").strip()
