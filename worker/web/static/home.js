// The meetings, live ones first, and a way to start one.

import { call, signOut } from "./api.js";
import { useNothingBeside } from "./dropping.js";
import { SmallModel } from "./first_run.js";
import { clock, statusOf } from "./following.js";
import { Documents } from "./library.js";
import { Recordings, farOf } from "./recordings.js";
import { Search } from "./searching.js";
import { html, useEffect, useState } from "./vendor/preact-htm.js";
import { language, switchLanguage, t, whyNothing } from "./words.js";

const LOOK_EVERY_MS = 3000;
const ORDER = { live: 0, wanted: 1, ended: 2, failed: 3 };

export function Home({ viewer }) {
  const [meetings, setMeetings] = useState(null);
  const [files, setFiles] = useState([]);
  const [error, setError] = useState("");
  useEffect(() => {
    let stopped = false;
    const look = async () => {
      try {
        const found = await call("GET", "/meetings?limit=50&overview=true");
        if (!stopped) setMeetings(found.meetings.sort((a, b) => ORDER[a.status] - ORDER[b.status]));
        setError("");
      } catch (problem) {
        setError(problem.message);
      }
      if (!stopped) setTimeout(look, LOOK_EVERY_MS);
    };
    look();
    return () => (stopped = true);
  }, []);
  useNothingBeside();
  if (viewer.meeting_id !== null) location.replace(`/m/${encodeURIComponent(viewer.meeting_id)}`);
  return html`
    <header class="bar">
      <h1><img src="/static/moim.svg" alt="" width="28" height="28" /> Moim</h1>
      <span class="grow"></span>
      <button class="quiet" onClick=${switchLanguage}>${t("language")}</button>
      ${viewer.person === null && html`<button class="quiet" onClick=${signOut}>${t("sign_out")}</button>`}
    </header>
    <${SmallModel} viewer=${viewer} />
    <main id="main" class="wide">
      <${Start} />
      <${Recordings} rows=${files} onRows=${setFiles} />
      <${Search} />
      <h2>${t("meetings")}</h2>
      ${error && html`<p class="error" role="alert">${error}</p>`}
      ${meetings?.length === 0 && html`<p class="faint">${t("none_yet")}</p>`}
      <ul class="cards">
        ${meetings?.map((each) => html`<${Card} key=${each.id} meeting=${each} read=${files.find((file) => file.meeting_id === each.id && file.state === "reading")} />`)}
      </ul>
      <${Documents} />
    </main>
  `;
}

// `read`: the file that it is made from, while a worker reads it; the meeting itself begins with what is in the file.
function Card({ meeting, read }) {
  const began = meeting.started_at && new Date(meeting.started_at);
  return html`
    <li>
      <a class="card" href=${`/m/${encodeURIComponent(meeting.id)}`}>
        <strong>${meeting.title ?? meeting.room ?? meeting.id}</strong>
        <span class=${`status ${meeting.status}`}>${read ? farOf(read, t("file_read")) : t(statusOf(meeting))}</span>
        <span class="faint">${meeting.room ?? meeting.id}</span>
        ${began && html`<time class="faint" datetime=${meeting.started_at}>${began.toLocaleString(language)}</time>`}
        ${meeting.length_ms > 0 && html`<span class="faint">${clock(meeting.length_ms)}</span>`}
        ${meeting.people?.length > 0 && html`<span class="faint">${meeting.people.join(", ")}</span>`}
        ${meeting.topics?.length > 0 && html`<span class="came">${t("topics")}: ${meeting.topics.join(" · ")}</span>`}
        ${meeting.decisions?.length > 0 && html`<span class="came"><b>${t("decisions")}:</b> ${meeting.decisions.join(" · ")}</span>`}
        ${meeting.reason && html`<span class="faint" title=${meeting.reason}>${whyNothing(meeting)}</span>`}
      </a>
    </li>
  `;
}

function Start() {
  const [error, setError] = useState("");
  const submit = async (event) => {
    event.preventDefault();
    const fields = event.target.elements;
    const title = fields.title.value.trim();
    try {
      const made = await call("POST", "/meetings", { room: fields.room.value.trim(), ...(title && { title }) });
      location.assign(`/m/${encodeURIComponent(made.meeting_id)}`);
    } catch (problem) {
      setError(problem.message);
    }
  };
  return html`
    <form class="start" onSubmit=${submit} aria-label=${t("start")}>
      <label>${t("room")}<input name="room" required maxlength="80" defaultValue=${`room-${now()}`} /></label>
      <label>${t("title")}<input name="title" maxlength="200" /></label>
      <button class="main">${t("start")}</button>
      ${error && html`<p class="error" role="alert">${error}</p>`}
    </form>
  `;
}

// "11-26-08-30": the day and time of day of whoever looks, for the name of a new room.
const now = () => {
  const at = new Date();
  return new Date(at - at.getTimezoneOffset() * 60_000).toISOString().slice(5, 16).replace(/[T:]/g, "-");
};
