// The document for those who were not there: what came of it first, each line a click away from its words.

import { call } from "./api.js";
import { byWhen, clock, dueBeside, namesOf, statements, timesOf } from "./following.js";
import { Statements, markedSummary, saidAgainst } from "./meeting.js";
import { People } from "./people.js";
import { html, useEffect, useState } from "./vendor/preact-htm.js";
import { Words, namesSpeakers } from "./voices.js";
import { language, switchLanguage, t } from "./words.js";
import { Written } from "./written.js";

const FORMATS = ["md", "json", "jsonl", "vtt", "srt"];

// In the form that the dispatcher was given for them (`viewer.own_minutes`), else in ours.
export function Minutes({ id, viewer }) {
  const [shown, setShown] = useState(null);
  const [error, setError] = useState("");
  const [copied, setCopied] = useState(false);
  const address = `/meetings/${encodeURIComponent(id)}/export`;
  useEffect(() => {
    call("GET", viewer.own_minutes ? `${address}?format=md` : address).then(setShown, (problem) => setError(problem.message));
  }, [id]);
  if (error) return html`<main id="main" class="narrow"><p class="error" role="alert">${error}</p><a href="/">${t("go_back")}</a></main>`;
  if (shown === null) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(await call("GET", `${address}?format=md`));
    setCopied(true);
  };
  return html`
    <header class="bar no-print">
      <a class="quiet" href=${`/m/${encodeURIComponent(id)}`} aria-label=${t("transcript")}>←</a>
      <span class="grow"></span>
      ${navigator.clipboard && html`<button class="quiet" onClick=${copy}>${copied ? t("copied") : t("copy_markdown")}</button>`}
      ${FORMATS.map((form) => html`<a class="quiet" key=${form} href=${`/v1${address}?format=${form}`} download=${`${id}.${form}`}>${form}</a>`)}
      <button class="quiet" onClick=${() => print()}>${t("print")}</button>
      <button class="quiet" onClick=${switchLanguage}>${t("language")}</button>
    </header>
    <main id="main" class="minutes">
      ${viewer.own_minutes ? html`<${Written} text=${shown} />` : html`<${Ours} meeting=${shown} />`}
    </main>
  `;
}

function Ours({ meeting }) {
  const names = namesOf(meeting);
  const { decisions: decided, tasks, open } = statements(meeting);
  const decisions = decided.filter((each) => !each.next_meeting); // that one has a line of its own
  const said = new Map(meeting.utterances.map((each) => [each.id, each]));
  const quoted = meeting.engines.llm === "extractive"; // then a summary is the key points once more
  const time = timesOf(meeting);
  const zone = { timeZone: meeting.meeting.time_zone };
  const began = meeting.meeting.started_at && new Date(meeting.meeting.started_at);
  return html`
    <h1>${meeting.meeting.title ?? meeting.meeting.room ?? meeting.meeting.id}</h1>
    <p class="faint">${began ? `${began.toLocaleString(language, { ...zone, dateStyle: "full", timeStyle: "short" })} · ` : ""}${clock(meeting.meeting.duration_ms)} · ${[...names.values()].join(", ")}</p>
    <ul class="brief" aria-label=${t("in_brief")}>
      <${Brief} title=${t("decisions")} rows=${decisions} names=${names} said=${said} time=${time} />
      <${Brief} title=${t("tasks")} rows=${tasks} names=${names} owned />
      <${Brief} title=${t("open")} rows=${open} names=${names} said=${said} />
      ${meeting.next_meeting && html`<${NextMeeting} statement=${meeting.next_meeting} names=${names} said=${said} />`}
    </ul>
    ${meeting.topics.some((topic) => topic.verified === false) && html`<p class="faint">${t("unverified")}</p>`}
    <${Statements} title=${t("decisions")} none=${t("none")} rows=${decisions} names=${names} said=${said} time=${time} />
    <${Statements} title=${t("tasks")} none=${t("none")} rows=${tasks} names=${names} said=${said} time=${time} owned />
    <${Statements} title=${t("open")} none=${t("none")} rows=${open} names=${names} said=${said} time=${time} />
    ${meeting.topics.map((topic) => html`
      <section key=${topic.id}>
        <h2>${topic.name}</h2>
        ${!quoted && html`<p>${markedSummary(topic)}${topic.quoted && html` <span class="owner">${t("quoted")}</span>`}</p>`}
        <${Statements} title="" none="" rows=${topic.key_points.filter((each) => !topic.decisions.some((made) => made.text === each.text))} names=${names} said=${said} time=${time} />
      </section>
    `)}
    ${meeting.topics.some(isUnclear) && html`<p class="faint"><span class="unclear"></span> ${t("unclear_note")}</p>`}
    <details class="folded"><summary>${t("people")}</summary><${People} document=${meeting} /></details>
    ${meeting.gaps.length > 0 && html`
      <details class="folded"><summary>${t("gaps")} (${meeting.gaps.length})</summary>
        <ul>${meeting.gaps.map((gap) => html`<li key=${`${gap.participant} ${gap.start_ms}`}>${time(gap.start_ms)}–${time(gap.end_ms)} ${names.get(gap.participant) ?? gap.participant}: ${t(gap.reason)}</li>`)}</ul>
      </details>
    `}
    ${(meeting.notes ?? []).length > 0 && html`
      <details class="folded"><summary>${t("notes")} (${meeting.notes.length})</summary>
        <ul>${meeting.notes.map((note) => html`<li key=${`${note.line} ${note.text}`}>${note.line ? `${t("line").replace("{}", note.line)}: ` : ""}${note.text}</li>`)}</ul>
      </details>
    `}
  `;
}

const isUnclear = (topic) => [...topic.key_points, ...topic.decisions, ...topic.pending].some((each) => each.doubtful);

// "Next meeting the 19th = 2026-03-19 (Priya: …)"
function NextMeeting({ statement, names, said }) {
  const line = said.get(statement.evidence.at(-1));
  const who = namesSpeakers(statement) || !line ? "" : `${names.get(line.speaker) ?? line.speaker}: `;
  return html`<li><b>${t("next_meeting")}</b> ${byWhen(statement, "").replace(/^ · +/, "")} (${who}<${Words} statement=${statement} names=${names} />)</li>`;
}

// One line that says what came of it, what weighs most first as in the minutes: "Decisions (2): We ship on Friday …"
function Brief({ title, rows, names, said, owned, time }) {
  const isChanged = (each) => each.status === "superseded";
  const byWeight = (a, b) => isChanged(a) - isChanged(b) || (b.weight ?? 0) - (a.weight ?? 0);
  const standing = rows.filter((each) => !owned || each.status !== "done").toSorted(byWeight); // a settled point says so
  const told = (each) => {
    const speakers = (each.quoted ? each.evidence.slice(-1) : each.evidence).map((id) => said?.get(id)?.speaker);
    const known = [...new Set(speakers)].map((speaker) => names.get(speaker) ?? speaker);
    const who = owned ? `${each.owner ? (names.get(each.owner) ?? each.owner) : t("nobody")}${dueBeside(each, t("due"))}` : namesSpeakers(each) ? "" : known.join(", ");
    const marks = [who, each.unverified && t("unverified_one"), isChanged(each) && t("superseded"), !owned && each.status === "done" && t("done"), ...(each.contradicted_by ?? []).map((later) => saidAgainst(later, names, time))].filter(Boolean);
    return html`<${Words} statement=${each} names=${names} brief />${marks.length > 0 && ` (${marks.join(", ")})`}`;
  };
  const lines = standing.map((each, place) => html`${place > 0 && " · "}${told(each)}`);
  return html`<li><b>${title} (${standing.length})</b> ${lines.length ? lines : t("none")}</li>`;
}
