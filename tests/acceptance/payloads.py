"""What people may say, type, upload or call themselves so that it runs on a page, and that none of it did."""

from __future__ import annotations

from typing import Final

from playwright.async_api import Page, expect

RUN: Final = "window.pwned=1"
PAYLOADS: Final = (
    f"<script>{RUN}</script>",
    f"<img src=x onerror={RUN}>",
    f"<svg onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"<body onpageshow={RUN}>",
    f"<details open ontoggle={RUN}>열기",
    f"<input autofocus onfocus={RUN}>",
    f"<video><source onerror={RUN}>",
    f"<math><mi xlink:href=javascript:{RUN}>회의",
    f"<a href=javascript:{RUN}>안건</a>",
    f"[회의록](javascript:{RUN})",
    f"![x](https://evil.example/?{RUN})",
    "[click me](https://evil.example)",
    "<https://evil.example>",
    "https://evil.example/meeting",
    f"`${{{RUN}}}`",
    f"{{{{constructor.constructor('{RUN}')()}}}}",
    f"${{{RUN}}}",
    f"</textarea><script>{RUN}</script>",
    f"\"'><script>{RUN}</script>",
    f"&lt;script&gt;{RUN}&lt;/script&gt; &#60;b&#62;",
    "<form action=https://evil.example><button>확인</button></form>",
    f"<style>@import 'https://evil.example';</style><link rel=stylesheet href=https://evil.example onload={RUN}>",
    "__proto__",
    "\u202e<b>거꾸로</b>\u202c",
)


async def demand_inert(page: Page, *shown: str) -> None:
    """Nothing ran, nothing leads away; what was said is there to read."""
    for text in shown:
        await expect(page.get_by_text(text, exact=False).first).to_be_visible(timeout=20_000)
    found = await page.evaluate(
        """() => ({
          pwned: window.pwned ?? null,
          away: [...document.querySelectorAll("[href], [src], [action]")]
            .map((each) => each.href?.baseVal ?? each.href ?? each.src ?? each.action)
            .filter((address) => new URL(address, location).origin !== location.origin),
          foreign: document.querySelectorAll(
            "#app script, #app iframe, #app video, #app math, #app style, #app link, #app img:not([src='/static/moim.svg'])"
          ).length,
        })"""
    )
    assert found == {"pwned": None, "away": [], "foreign": 0}, found
