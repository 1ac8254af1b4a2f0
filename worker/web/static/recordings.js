// Recordings and transcripts: dropped here, they are sent, read by a worker, and become meetings with minutes.

import { call, send } from "./api.js";
import { clock } from "./following.js";
import { html, useEffect, useRef, useState } from "./vendor/preact-htm.js";
import { t, why } from "./words.js";

const LOOK_EVERY_MS = 1500;
const ACCEPT = ".wav,.flac,.mp3,.ogg,.oga,.opus,.aac,.wma,.aiff,.aif,.amr,.m4a,.mp4,.mov,.3gp,.webm,.mka,.mkv,.vtt,.srt,.sbv,.jsonl,.ndjson,.json,.tsv,.csv,.txt,.md,.docx";

export function Recordings() {
  const [sending, setSending] = useState([]);
  const [rows, setRows] = useState([]);
  const [done, setDone] = useState([]);
  const [told, setTold] = useState([]);
  const [over, setOver] = useState(false);
  const known = useRef(new Map());
  const limits = useRef({});
  const timer = useRef(0);

  const tell = (line) => setTold((all) => [...all, line]);
  const look = async () => {
    const found = await call("GET", "/recordings");
    limits.current = found;
    const listed = new Set(found.recordings.map((row) => row.meeting_id));
    for (const [id, name] of known.current) {
      if (listed.has(id)) continue;
      known.current.delete(id);
      const meeting = await call("GET", `/meetings/${id}`).catch(() => null);
      if (meeting?.status === "ended") setDone((all) => [{ id, name }, ...all]);
    }
    for (const row of found.recordings) if (row.state !== "failed") known.current.set(row.meeting_id, row.name);
    setRows(found.recordings);
  };
  // Look now, and again and again: soon while something is read.
  const again = async () => {
    clearTimeout(timer.current);
    await look().catch(() => {});
    clearTimeout(timer.current);
    timer.current = setTimeout(again, known.current.size > 0 ? LOOK_EVERY_MS : 4 * LOOK_EVERY_MS);
  };
  useEffect(() => {
    again();
    return () => clearTimeout(timer.current);
  }, []);

  const add = async (files) => {
    setTold([]);
    for (const file of [...files]) {
      if (file.size > 1e6 * limits.current.largest_mb) { // the server would hang up in the middle
        tell(why(file.name, { field: "file.size", value: `${(file.size / 1e6).toFixed(1)} MB` }, limits.current));
        continue;
      }
      const shown = { name: file.name, sent: 0, of: file.size };
      setSending((all) => [...all, shown]);
      try {
        const made = await send(`/recordings?name=${encodeURIComponent(file.name)}`, file, (sent) => {
          shown.sent = sent;
          setSending((all) => [...all]);
        });
        known.current.set(made.meeting_id, made.name);
      } catch (problem) {
        tell(why(file.name, problem, limits.current));
      }
      setSending((all) => all.filter((each) => each !== shown));
      await again();
    }
  };
  const dropped = (event) => {
    event.preventDefault();
    setOver(false);
    add(event.dataTransfer.files);
  };
  const chosen = (event) => {
    add(event.target.files);
    event.target.value = ""; // the same file may be chosen again
  };
  const stop = (row) => call("POST", `/meetings/${row.meeting_id}/end`).then(again, (problem) => tell(problem.message));
  return html`
    <section class="recordings">
      <h2>${t("bring")}</h2>
      <label class=${over ? "drop over" : "drop"} onDragOver=${(event) => (event.preventDefault(), setOver(true))} onDragLeave=${() => setOver(false)} onDrop=${dropped}>
        ${t("bring_here")}
        <input type="file" multiple accept=${ACCEPT} onChange=${chosen} />
      </label>
      ${told.map((line) => html`<p class="error" role="alert" key=${line}>${line}</p>`)}
      <ul class="cards">
        ${sending.map((each) => html`<li class="card" key=${each.name}><strong>${each.name}</strong><${Bar} label=${`${t("sending")}: ${each.name}`} of=${each.of} done=${each.sent} told=${t("sending")} /></li>`)}
        ${rows.map((row) => html`<${Row} key=${row.meeting_id} row=${row} limits=${limits.current} onStop=${() => stop(row)} />`)}
      </ul>
      <div role="status">
        ${done.length > 0 && html`<ul class="cards">${done.map((each) => html`
          <li class="card" key=${each.id}>
            <strong>${each.name}</strong>
            <a href=${`/m/${encodeURIComponent(each.id)}/minutes`}>${t("minutes")}</a>
            <a href=${`/m/${encodeURIComponent(each.id)}`}>${t("transcript")}</a>
          </li>
        `)}</ul>`}
      </div>
    </section>
  `;
}

function Row({ row, limits, onStop }) {
  if (row.state === "failed") {
    return html`<li class="card"><p class="error">${why(row.name, { field: `file.${row.fault}`, value: row.fault_value }, limits)}</p></li>`;
  }
  const { done, total } = row;
  const far = row.kind === "sound" ? `${clock(done)}${total ? ` / ${clock(total)}` : ""}` : t("lines_of").replace("{n}", done).replace("{of}", total);
  const told = row.state === "waiting" && !done ? t("file_waits") : `${t("file_read")}: ${far}`;
  return html`
    <li class="card">
      <strong>${row.name}</strong>
      <${Bar} label=${`${t("file_read")}: ${row.name}`} of=${total} done=${done} told=${told} />
      <button class="chip" onClick=${onStop} aria-label=${`${t("stop")}: ${row.name}`}>${t("stop")}</button>
    </li>
  `;
}

// How far something is; without a known end it only says that it goes on.
function Bar({ label, of, done, told }) {
  return html`
    ${of > 0 ? html`<progress aria-label=${label} max=${of} value=${Math.min(done, of)}></progress>` : html`<progress aria-label=${label}></progress>`}
    <span class="faint">${told}</span>
  `;
}
