// Recordings and transcripts: dropped here, they are sent, read by a worker, and become meetings with minutes.

import { call, send } from "./api.js";
import { Drop } from "./dropping.js";
import { clock } from "./following.js";
import { html, useEffect, useRef, useState } from "./vendor/preact-htm.js";
import { endsWithOne, t, why, whyNothing } from "./words.js";

const LOOK_EVERY_MS = 1500;

// `rows`: the files that are known, which whoever shows their meetings keeps; `onRows` tells of them.
export function Recordings({ rows, onRows }) {
  const [sending, setSending] = useState([]);
  const [done, setDone] = useState([]);
  const [told, setTold] = useState([]);
  const [stopping, setStopping] = useState(new Set());
  const known = useRef(new Map());
  const limits = useRef(null);
  const timer = useRef(0);
  const queue = useRef([]);
  const number = useRef(0);

  const tell = (line) => setTold((all) => [...all, { id: number.current++, line }]);
  const look = async () => {
    const found = await call("GET", "/recordings");
    if (found.sound) limits.current = found; // while dispatchers are updated, one may answer that tells none
    const listed = new Set(found.recordings.map((row) => row.meeting_id));
    for (const [id, name] of known.current) {
      if (listed.has(id)) continue;
      known.current.delete(id);
      const meeting = await call("GET", `/meetings/${id}`).catch(() => null);
      if (meeting?.status === "ended") setDone((all) => [{ id, name, nothing: meeting.reason_code ? whyNothing(meeting) : "" }, ...all]);
    }
    for (const row of found.recordings) if (row.state !== "failed") known.current.set(row.meeting_id, row.name);
    onRows(found.recordings);
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

  useEffect(() => {
    if (!sending.length) return;
    const ask = (event) => event.preventDefault(); // the browser asks whether to leave: the file would not come whole
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [sending.length > 0]);

  // One file is sent after the other, however many drops they came by: the server checks one at a time.
  const add = async (files) => {
    const { current: waiting } = queue;
    if (!waiting.length) setTold([]);
    waiting.push(...files.map((file) => ({ id: number.current++, file, sent: 0 })));
    setSending([...waiting]);
    if (waiting.length > files.length) return; // the loop that sends goes on with these
    while (waiting.length) {
      await bring(waiting[0]);
      waiting.shift();
      setSending([...waiting]);
    }
  };
  const bring = async (each) => {
    const { file } = each;
    if (limits.current === null) await again();
    try {
      const fault = limits.current && faultOf(file, limits.current);
      if (fault) throw fault;
      const made = await send(`/recordings?name=${encodeURIComponent(file.name)}`, file, (sent) => {
        each.sent = sent;
        setSending([...queue.current]);
      });
      known.current.set(made.meeting_id, made.name);
      await again();
    } catch (problem) {
      tell(why(file.name, problem, limits.current ?? {}));
    }
  };
  const stop = async (row) => {
    setStopping((all) => new Set(all).add(row.meeting_id));
    await call("POST", `/meetings/${row.meeting_id}/end`).then(again, (problem) => tell(problem.message));
  };
  return html`
    <section class="recordings">
      <h2>${t("bring")}</h2>
      <${Drop} accept=${limits.current ? [...limits.current.sound, ...limits.current.transcripts].join() : ""} choose=${t("choose_files")} onFiles=${add} onTold=${tell}>
        <span>${t("bring_here")}</span>
        ${limits.current && html`<span>${boundsOf(limits.current)}</span>`}
      <//>
      ${told.map(({ id, line }) => html`<p class="error" role="alert" key=${id}>${line}</p>`)}
      <ul class="cards">
        ${sending.map((each, place) => html`<${Sending} key=${each.id} each=${each} first=${place === 0} />`)}
        ${rows.map((row) => html`<${Row} key=${row.meeting_id} row=${row} limits=${limits.current ?? {}} stopping=${stopping.has(row.meeting_id)} onStop=${() => stop(row)} />`)}
      </ul>
      <div role="status">
        ${done.length > 0 && html`<ul class="cards">${done.map((each) => html`
          <li class="card" key=${each.id}>
            <strong>${each.name}</strong>
            ${each.nothing && html`<span class="faint">${each.nothing}</span>`}
            <a href=${`/m/${encodeURIComponent(each.id)}/minutes`}>${t("minutes")}</a>
            <a href=${`/m/${encodeURIComponent(each.id)}`}>${t("transcript")}</a>
          </li>
        `)}</ul>`}
      </div>
    </section>
  `;
}

// What is wrong with a file before it is sent: the server would refuse it, and hang up in the middle of it.
function faultOf({ name, size }, limits) {
  const sound = endsWithOne(name, limits.sound);
  const most = sound ? limits.largest_mb : limits.largest_transcript_mb;
  if (!sound && !endsWithOne(name, limits.transcripts)) return { field: "file.kind", value: name.match(/\.[^.]*$/)?.[0] ?? name };
  if (sound && limits.engine === "none") return { field: "file.engine", value: limits.engine };
  if (size === 0) return { field: "file.empty" };
  return size > 1e6 * most ? { field: "file.size", value: `${(size / 1e6).toFixed(1)} MB` } : null;
}

function boundsOf(limits) {
  const told = t(limits.engine === "none" ? "file_bounds_text" : "file_bounds");
  return told.replace(/{(\w+)}/g, (_, each) => limits[each]);
}

// A file on its way: it waits for its turn, is sent, and then checked and kept by the server.
function Sending({ each: { file, sent }, first }) {
  const told = t(!first ? "file_queued" : sent < file.size ? "sending" : "file_checked");
  return html`
    <li class="card">
      <strong>${file.name}</strong>
      <${Bar} label=${`${told}: ${file.name}`} of=${sent < file.size ? file.size : 0} done=${sent} told=${told} />
    </li>
  `;
}

function Row({ row, limits, stopping, onStop }) {
  if (row.state === "failed") {
    return html`<li class="card"><p class="error">${why(row.name, { field: `file.${row.fault}`, value: row.fault_value }, limits)}</p></li>`;
  }
  const told = farOf(row, t(stopping ? "stopping" : row.state === "waiting" ? "file_waits" : "file_read"));
  return html`
    <li class="card">
      <strong>${row.name}</strong>
      <${Bar} label=${`${t("file_read")}: ${row.name}`} of=${row.total} done=${row.done} told=${told} />
      <button class="chip" disabled=${stopping} onClick=${onStop} aria-label=${`${t("stop")}: ${row.name}`}>${t("stop")}</button>
    </li>
  `;
}

// "Being read: 12:30 / 01:00:00": a state, and how far a file is, as far as that is known.
export function farOf({ kind, state, done, total }, told) {
  if (state === "waiting" && !done) return told;
  return `${told}: ${kind === "sound" ? `${clock(done)}${total ? ` / ${clock(total)}` : ""}` : t("lines_of").replace("{n}", done).replace("{of}", total)}`;
}

// How far something is; without a known end it only says that it goes on.
function Bar({ label, of, done, told }) {
  return html`
    ${of > 0 ? html`<progress aria-label=${label} max=${of} value=${Math.min(done, of)}></progress>` : html`<progress aria-label=${label}></progress>`}
    <span class="faint">${told}</span>
  `;
}
