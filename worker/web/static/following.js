// A meeting as it goes on: its document, and each change folded into it as it comes.

import { useEffect, useReducer, useState } from "./vendor/preact-htm.js";

const REFUSALS = new Set([401, 403, 404]);
const AGAIN_MS = 2000;
const SILENT_MS = 30_000;
const KINDS = ["interim", "title", "degraded", "doing", "document", "utterance", "topic", "gap", "reply", "status", "participants", "off_the_record"];

// [document or null, is the connection there?, does the meeting exist?]
export function useMeeting(id) {
  const [document, changed] = useReducer(folded, null);
  const [state, setState] = useState("connecting");
  useEffect(() => {
    const address = `/v1/meetings/${encodeURIComponent(id)}`;
    let source, again, last;
    // Many changes come at once after a pause; the page is drawn once for all of them.
    let waiting = [];
    const flush = () => {
      changed(waiting);
      waiting = [];
    };
    const connect = () => {
      source = new EventSource(`${address}/events${last ? `?after=${last}` : ""}`);
      for (const kind of KINDS) {
        source.addEventListener(kind, (event) => {
          last = event.lastEventId || last;
          if (!waiting.length) queueMicrotask(flush);
          waiting.push({ kind, fields: JSON.parse(event.data) });
        });
      }
      source.onopen = () => setState("open");
      source.onerror = () => {
        setState((known) => (known === "refused" ? known : "lost"));
        if (source.readyState === EventSource.CLOSED) askWhy();
      };
    };
    // A browser gives up where it gets any answer but this stream: a proxy's 502 is no reason for us to.
    const askWhy = async () => {
      const status = await fetch(address).then((answer) => answer.status, () => 0);
      if (REFUSALS.has(status)) setState("refused");
      else again = setTimeout(connect, AGAIN_MS);
    };
    connect();
    const forgetting = setInterval(() => changed([{ kind: "silent", fields: { since: Date.now() - SILENT_MS } }]), SILENT_MS);
    return () => {
      clearInterval(forgetting);
      clearTimeout(again);
      source.close();
    };
  }, [id]);
  return [document, state];
}

// The words under way that were shown anew since then: of others the end is not known, as their worker has died.
function spokenSince(interim, since) {
  return Object.fromEntries(Object.entries(interim ?? {}).filter(([, said]) => said?.at > since));
}

function folded(document, changes) {
  for (const { kind, fields } of changes) document = withChange(document, kind, fields);
  return document;
}

function withChange(document, kind, fields) {
  if (kind === "document") return fields;
  if (document === null) return null;
  switch (kind) {
    case "utterance":
      return {
        ...document,
        meeting: { ...document.meeting, duration_ms: Math.max(document.meeting.duration_ms, fields.end_ms) },
        interim: { ...document.interim, [fields.speaker]: undefined },
        utterances: inPlace(document.utterances, fields, (a, b) => a.start_ms - b.start_ms),
      };
    case "topic":
      return { ...document, topics: inPlace(document.topics, fields, (a, b) => a.first_utterance - b.first_utterance) };
    case "interim":
      return { ...document, interim: { ...document.interim, [fields.speaker]: { text: fields.text, firm: fields.firm ?? 0, at: Date.now() } } };
    case "silent":
      return { ...document, interim: spokenSince(document.interim, fields.since) };
    case "degraded":
      return { ...document, degraded: fields.parts };
    case "title":
      return { ...document, meeting: { ...document.meeting, title: fields.title } };
    case "doing":
      return { ...document, doing: fields };
    case "gap":
      return { ...document, gaps: [...document.gaps.filter((each) => !isPartOf(each, fields)), fields] };
    case "reply":
      return { ...document, doing: undefined, replies: inPlace(document.replies, fields, () => 1) };
    case "participants":
      return { ...document, participants: fields.participants, exchanges: fields.exchanges };
    case "off_the_record":
      return { ...document, off_the_record: fields.rows };
    case "status":
      if (["paused", "off_the_record", "resumed"].includes(fields.status)) {
        return { ...document, meeting: { ...document.meeting, paused: fields.status !== "resumed" } };
      }
      if (fields.status === "waiting") return { ...document, meeting: { ...document.meeting, waiting_ms: Number(fields.detail) } };
      if (fields.status === "ready") return { ...document, meeting: { ...document.meeting, ready: true } };
      if (fields.status !== "live" && fields.status !== "ended") return document;
      return { ...document, meeting: { ...document.meeting, status: fields.status, ready: false, started_at: fields.started_at ?? document.meeting.started_at } };
  }
}

// A gap may grow: what was shown of it before goes.
const isPartOf = (gap, grown) =>
  gap.participant === grown.participant && gap.reason === grown.reason && grown.start_ms <= gap.start_ms && gap.end_ms <= grown.end_ms;

// `rows` with `row` in its place; a row of the same id is replaced.
function inPlace(rows, row, order) {
  const at = rows.findIndex((each) => each.id === row.id);
  if (at >= 0) return rows.with(at, row);
  const behind = rows.findLastIndex((each) => order(each, row) <= 0);
  return order(row, row) === 1 || behind === rows.length - 1 ? [...rows, row] : rows.toSpliced(behind + 1, 0, row);
}

const OPEN = new Set(["wanted", "live"]);

// The word for how far a meeting is: one that a worker has is ready before anybody comes.
export const statusOf = ({ status, room, ready, holder, started_at: began }) =>
  OPEN.has(status) && room !== null && (ready || (holder && !began)) ? "ready" : status;

export const clock = (ms) => {
  const seconds = Math.floor(ms / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return (parts[0] ? parts : parts.slice(1)).map((part) => String(part).padStart(2, "0")).join(":");
};

// The time of day at which something was said, in the meeting's own zone; from its start where its day is unknown.
export function timesOf(document) {
  const { started_at: began, time_zone: timeZone } = document.meeting;
  if (!began) return clock;
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(new Date(began));
  const [hours, minutes, seconds] = parts.split(":").map(Number);
  const zero = ((hours * 60 + minutes) * 60 + seconds) * 1000 + (Date.parse(began) % 1000);
  return (ms) => {
    const at = Math.floor((zero + ms) / 1000);
    return [Math.floor(at / 3600) % 24, Math.floor(at / 60) % 60, at % 60].map((part) => String(part).padStart(2, "0")).join(":");
  };
}

// The decisions, tasks and open points of all topics, in order: as the minutes have them.
export function statements(document) {
  const of = (list) => document.topics.flatMap((topic) => topic[list].map((each) => ({ ...each, topic: topic.id, list })));
  const once = (rows) => [...new Map(rows.map((each) => [`${each.text} ${each.evidence}`, each])).values()];
  const pending = once(of("pending"));
  const isTask = (each) => each.kind === "action" || (!each.kind && Boolean(each.owner || each.due));
  // A topic that comes anew brings what was said in it against the decisions of others.
  const against = document.topics.flatMap((topic) => topic.contradictions ?? []);
  const later = (each) => [...new Map(
    against.filter((one) => each.evidence.includes(one.decision_evidence.at(-1)))
      .map((one) => [`${one.evidence}`, { ...one, line: document.utterances.find((said) => said.id === one.evidence.at(-1)) }]),
  ).values()];
  return {
    decisions: toldOnce(once(of("decisions"))).map((each) => ({ ...each, contradicted_by: later(each) })),
    tasks: pending.filter(isTask),
    open: pending.filter((each) => !isTask(each)),
  };
}

// A decision that only repeats one of another topic is told with that one, with both voices, as long as it stands.
function toldOnce(rows) {
  const told = [];
  for (const row of rows) {
    const isThat = (old) => old.status !== "superseded" && row.repeats?.some((id) => old.evidence.includes(id));
    const place = row.corrected_by ? -1 : told.findIndex(isThat);
    if (place < 0) told.push(row);
    else told[place] = { ...told[place], evidence: [...new Set([...told[place].evidence, ...row.evidence])].sort((a, b) => a - b) };
  }
  return told;
}

// "due tomorrow = 2026-11-25"
export function byWhen(each, word) {
  if (!each.due) return "";
  return ` · ${word} ${each.due}${each.due_date && !each.due.includes(each.due_date) ? ` = ${each.due_date}` : ""}`;
}

// The same beside the statement's own words: where these name the due moment, only its day.
export function dueBeside(each, word) {
  if (!each.due || !each.text.includes(each.due)) return byWhen(each, word);
  return each.due_date && !each.text.includes(each.due_date) ? ` · ${word} ${each.due_date}` : "";
}

export function namesOf(document) {
  return new Map(document.participants.map((person) => [person.id, person.name || person.id]));
}
