// A meeting's captions: what was said last and what is being said, in two large lines, for a second screen or a mixer.

import { namesOf, useMeeting } from "./following.js";
import { UnderWay } from "./transcript.js";
import { html, useEffect, useState } from "./vendor/preact-htm.js";
import { t } from "./words.js";

const STAYS_MS = 8000;
const LAST = 2;

export function Captions({ id }) {
  const [document_, state] = useMeeting(id);
  const [seen, setSeen] = useState(null);
  const clear = new URLSearchParams(location.search).get("background") === "transparent";
  const newest = document_?.utterances.at(-1)?.id ?? 0;
  // A line stays for a while once it is there; those from before the captions were opened are not shown.
  useEffect(() => {
    if (document_ === null) return undefined;
    if (seen === null) setSeen(newest);
    const over = setTimeout(() => setSeen(newest), STAYS_MS);
    return () => clearTimeout(over);
  }, [newest, document_ === null]);
  useEffect(() => {
    if (document_) document.title = `${document_.meeting.title ?? document_.meeting.room ?? id} · ${t("captions")}`;
  }, [document_?.meeting.title]);
  const told = state === "refused" ? t("no_such") : document_?.meeting.status === "ended" ? t("ended") : state === "lost" ? t("connection_lost") : "";
  const names = document_ === null ? new Map() : namesOf(document_);
  const said = (document_?.utterances ?? []).slice(-LAST).filter((each) => each.text && seen !== null && each.id > seen);
  const growing = Object.entries(document_?.interim ?? {}).filter(([, each]) => each?.text);
  const name = (speaker) => names.get(speaker) ?? t("unknown_speaker");
  return html`
    <main id="main" class=${clear ? "captions clear" : "captions"} aria-label=${t("captions")}>
      <h1 class="skip">${document_?.meeting.title ?? document_?.meeting.room ?? id}</h1>
      <div class="two-lines">
        <div role="log">${said.map((each) => html`<p key=${each.id}>${name(each.speaker)}: ${each.text}</p>`)}</div>
        ${growing.map(([speaker, each]) => html`<p key=${`i-${speaker}`} class="under-way" aria-live="off">${name(speaker)}: <${UnderWay} said=${each} /></p>`)}
      </div>
      ${told && html`<p class="told" role="status">${told}</p>`}
    </main>
  `;
}
