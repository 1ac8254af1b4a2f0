// A meeting, live and afterwards: what is said, on what, what came of it, who is there, and a box to ask.

import { corrector, decider, Editable, Replacing } from "./editing.js";
import { Asking } from "./asking.js";
import { call, signOut } from "./api.js";
import { Bookmarks, useBookmarks } from "./bookmarks.js";
import { useChat } from "./chat.js";
import { SmallModel } from "./first_run.js";
import { byWhen, clock, namesOf, statements, statusOf, timesOf, useMeeting } from "./following.js";
import { Joining } from "./joining.js";
import { Keys } from "./keys.js";
import { People } from "./people.js";
import { Search } from "./searching.js";
import { Share } from "./sharing.js";
import { Transcript, show } from "./transcript.js";
import { html, useEffect, useState } from "./vendor/preact-htm.js";
import { Words } from "./voices.js";
import { switchLanguage, t } from "./words.js";

export function Meeting({ id, viewer }) {
  const [document_, state] = useMeeting(id);
  const [interim, setInterim] = useState({});
  const [passage, setPassage] = useState(null);
  const [room, setRoom] = useState(null);
  const chat = useChat(room);
  const [bookmarks, bookmark] = useBookmarks(id);
  const self = useSelf(id);
  useEffect(() => {
    if (document_) document.title = `${document_.meeting.title ?? document_.meeting.room ?? id} · Moim`;
  }, [document_?.meeting.title]);
  if (document_ === null || state === "refused") return html`<main id="main" class="narrow"><${Waiting} state=${state} /></main>`;
  const names = namesOf(document_);
  const correct = viewer.may_edit ? corrector(id) : undefined;
  // Everybody takes out their own words; those of others, who may do what concerns others' words.
  const mayErase = (speaker) => viewer.administrator || speaker === self;
  const open = document_.meeting.status === "live" || document_.meeting.status === "wanted";
  return html`
    <${Head} meeting=${document_.meeting} viewer=${viewer} id=${id} correct=${correct} bookmark=${bookmark} />
    <${SmallModel} viewer=${viewer} />
    ${state === "lost" && html`<p class="banner" role="status">${t("connection_lost")}</p>`}
    ${document_.meeting.paused && html`<p class="banner" role="status">${t("paused_now")}</p>`}
    ${document_.meeting.waiting_ms > 0 && html`<p class="banner" role="status">${t("still_writing").replace("{left}", clock(document_.meeting.waiting_ms))}</p>`}
    ${document_.degraded?.length > 0 && html`<p class="banner" role="status">${t("degraded")} ${document_.degraded.map((part) => t(`part_${part}`)).join(", ")}</p>`}
    <div class="meeting">
      <nav class="topics" aria-label=${t("topics")}><${Search} within=${id} jump=${show} /><${Topics} document=${document_} correct=${correct} /><${Bookmarks} document=${document_} names=${names} lines=${bookmarks} /></nav>
      <main id="main" class="talk">
        ${open && viewer.may_join && document_.meeting.room && html`<${Joining} id=${id} keptDays=${viewer.kept_days} onInterim=${setInterim} onRoom=${setRoom} />`}
        <${Transcript} document=${document_} names=${names} interim=${{ ...document_.interim, ...interim }} live=${open} correct=${correct} decide=${decider(id)} mayDecide=${mayErase} onPassage=${setPassage} bookmarks=${bookmarks} bookmark=${bookmark} />
        <${Doing} told=${document_.doing} />
        <${Asking} id=${id} document=${document_} names=${names} passage=${passage} mayAskOpenly=${viewer.may_edit} chat=${chat} />
      </main>
      <aside class="came-of-it" aria-label=${t("decisions")}>
        <div class="outcome"><${CameOfIt} document=${document_} names=${names} correct=${correct} /></div>
        <${People} document=${document_} correct=${correct} />
      </aside>
    </div>
  `;
}

// Who this browser is in the meeting's room: the same after a reload, and before and after joining.
function useSelf(id) {
  const [self, setSelf] = useState(null);
  useEffect(() => {
    call("GET", `/session?meeting_id=${encodeURIComponent(id)}`).then(({ identity }) => setSelf(identity), () => {});
  }, [id]);
  return self;
}

function Waiting({ state }) {
  if (state === "refused") return html`<p class="error" role="alert">${t("no_such")}</p><a href="/">${t("go_back")}</a>`;
  return html`<p class="faint" role="status">${state === "lost" ? t("connection_lost") : "…"}</p>`;
}

function Head({ meeting, viewer, id, correct, bookmark }) {
  const end = () => confirm(t("end_sure")) && call("POST", `/meetings/${encodeURIComponent(id)}/end`);
  const name = meeting.title ?? meeting.room ?? meeting.id;
  const rename = (title) => call("PUT", `/meetings/${encodeURIComponent(id)}/title`, { title });
  return html`
    <header class="bar">
      ${viewer.meeting_id === null && html`<a class="quiet" href="/" aria-label=${t("back")}>←</a>`}
      <h1>
        <${Editable} text=${name} label=${t("meetings_name")} onSave=${viewer.may_edit && rename}><span title=${name}>${name}</span><//>
      </h1>
      <span class=${`status ${meeting.status}`}>${t(statusOf(meeting))}</span>
      <span class="faint">${clock(meeting.duration_ms)}</span>
      <span class="grow"></span>
      <a class="quiet" href=${`/m/${encodeURIComponent(id)}/minutes`}>${t("minutes")}</a>
      <a class="quiet" href=${`/m/${encodeURIComponent(id)}/agent`}>${t("agent")}</a>
      <a class="quiet" href=${`/m/${encodeURIComponent(id)}/captions`} target="_blank" rel="noopener">${t("captions")}</a>
      ${correct && html`<${Replacing} correct=${correct} />`}
      ${viewer.meeting_id === null && html`<${Share} id=${id} />`}
      ${meeting.status === "live" && viewer.may_edit && html`<button class="quiet" onClick=${end}>${t("end")}</button>`}
      <${Keys} bookmark=${bookmark} />
      <button class="quiet" onClick=${switchLanguage}>${t("language")}</button>
      ${viewer.person === null && html`<button class="quiet" onClick=${signOut}>${t("sign_out")}</button>`}
    </header>
  `;
}

const FORGOTTEN_MS = 3000;

// What the agent does with a question that anybody may know of; it is told again while it lasts.
function Doing({ told }) {
  const [over, setOver] = useState(null);
  useEffect(() => {
    if (!told) return undefined;
    const forget = setTimeout(() => setOver(told), FORGOTTEN_MS);
    return () => clearTimeout(forget);
  }, [told]);
  return html`<p class="doing faint" role="status">${told && told !== over && t(`doing_${told.stage}`)}</p>`;
}

function Topics({ document, correct }) {
  const time = timesOf(document);
  const last = document.utterances.at(-1)?.id ?? 1;
  return html`
    <h2>${t("topics")}</h2>
    ${document.topics.length === 0 && html`<p class="faint">${t("no_topics")}</p>`}
    <ol>
      ${document.topics.map((topic) => {
        const lines = (topic.last_utterance ?? last) - topic.first_utterance + 1;
        const first = document.utterances.find((each) => each.id === topic.first_utterance);
        return html`
          <li key=${topic.id}>
            <${Editable} text=${topic.name} label=${topic.name} onSave=${correct && ((name) => correct({ of: "topic", topic: topic.id, name, was: topic.name }))}>
              <button class="topic" onClick=${() => show(topic.first_utterance)}>
                <span class="faint">${first ? time(first.start_ms).slice(0, 5) : ""}</span>
                <span>${topic.name}</span>
                <meter min="0" max=${last} value=${lines} aria-hidden="true"></meter>
              </button>
            <//>
            ${topic.summary && html`<details><summary>${t("summary")}</summary><p>${markedSummary(topic)}</p></details>`}
          </li>
        `;
      })}
    </ol>
  `;
}

function CameOfIt({ document, names, correct }) {
  const { decisions, tasks, open } = statements(document);
  return html`
    <${Statements} title=${t("decisions")} none=${t("nothing_decided")} rows=${decisions} names=${names} time=${timesOf(document)} correct=${correct} />
    <${Statements} title=${t("tasks")} none=${t("nothing_to_do")} rows=${tasks} names=${names} correct=${correct} owned />
    <${Statements} title=${t("open")} none=${t("nothing_open")} rows=${open} names=${names} correct=${correct} />
  `;
}

// A topic's summary, with a mark behind each sentence that no verifier has judged.
export function markedSummary(topic) {
  const mark = (text, sentence) => text.replace(sentence, () => `${sentence} (${t("unverified_one")})`);
  return (topic.unverified ?? []).reduce(mark, topic.summary);
}

// `said`: utterances by id, and `time`, where each line is to name who said it, and when.
export function Statements({ title, none, rows, names, owned, correct, said, time }) {
  return html`
    <section>
      ${title && html`<h2>${title} ${rows.length > 0 && html`<span class="count">${rows.length}</span>`}</h2>`}
      ${rows.length === 0 && html`<p class="faint">${none}</p>`}
      <ul class="statements" aria-live="polite">
        ${rows.map((each) => html`
          <li key=${`${each.evidence.join()} ${each.text}`} class=${each.superseded_by || each.status === "superseded" || each.status === "done" ? "past" : ""}>
            <${Editable} text=${onOneLine(each.text)} label=${onOneLine(each.text)} onSave=${correct && ((text) => correct({ ...meant(each), text }))}>
              <button class="evidence" title=${t("show_quote")} onClick=${() => show(each.evidence.at(-1))}><${Words} statement=${each} names=${names} /></button>
            <//>
            ${owned && html`<span class="owner">${each.owner ? (names.get(each.owner) ?? each.owner) : t("nobody")}${byWhen(each, t("due"))}</span>`}
            ${said && html`<span class="owner">${namesOfSaid(each, said, names, time)}</span>`}
            <${Later} statement=${each} rows=${rows} said=${said} time=${time} />
            ${(each.contradicted_by ?? []).map((later) => html`<button class="owner" key=${later.evidence.join()} title=${t("show_quote")} onClick=${() => show(later.evidence.at(-1))}>${saidAgainst(later, names, time)}</button>`)}
            ${each.quoted && html`<span class="owner">${t("quoted")}</span>`}
            ${each.unverified && html`<span class="owner">${t("unverified_one")}</span>`}
            ${correct && each.topic && html`<${Marks} statement=${each} correct=${correct} owned=${owned} />`}
          </li>
        `)}
      </ul>
    </section>
  `;
}

// What became of a decision: the one that took its place, or that took up its matter again, and when; both stand then.
function Later({ statement, rows, said, time }) {
  const again = rows.find((each) => (each.takes_up ?? []).some((id) => statement.evidence.includes(id)));
  const id = Number(statement.superseded_by) || again?.evidence.at(-1);
  if (!id) return null;
  const line = said?.get(id);
  const told = `${t(statement.superseded_by ? "superseded" : "taken_up")}${line ? ` ${time(line.start_ms)}` : ""}`;
  return html`<button class="owner" title=${t("show_quote")} onClick=${() => show(id)}>${told}</button>`;
}

// "but said later 00:39, 김민지: …": what was said against a decision, without deciding anew.
export function saidAgainst({ line, text }, names, time) {
  return `${t("against_it")}${line ? ` ${time(line.start_ms)}, ${names.get(line.speaker) ?? line.speaker}` : ""}: ${onOneLine(text)}`;
}

// "김민지 00:39": who said what a statement rests on, and when.
function namesOfSaid(statement, said, names, time) {
  const lines = statement.evidence.map((id) => said.get(id)).filter(Boolean);
  return lines.map((line) => `${names.get(line.speaker) ?? line.speaker} ${time(line.start_ms)}`).join(", ");
}

// A field to edit holds one line; a statement has one for each who said it.
const onOneLine = (text) => text.replaceAll("\n", " ");

// Which statement a correction is about.
const meant = (each) => ({ of: "statement", topic: each.topic, list: each.list, evidence: each.evidence, was: each.text });

// Confirm, tick off, give to somebody, reject.
function Marks({ statement, correct, owned }) {
  const done = statement.status === "done";
  const put = (changes) => correct({ ...meant(statement), ...changes });
  const give = () => {
    const owner = prompt(t("whose"), statement.owner ?? "");
    const due = owner === null ? null : prompt(t("until_when"), statement.due ?? "");
    if (due !== null) put({ owner, due });
  };
  return html`
    <span class="marks">
      ${owned && html`<button class="chip" onClick=${() => put({ status: done ? "open" : "done" })}>${done ? t("not_done") : t("done")}</button>`}
      ${owned && html`<button class="chip" onClick=${give}>${t("assign")}</button>`}
      ${!owned && !statement.corrected_by && statement.list === "decisions" && html`<button class="chip" onClick=${() => put({ status: "decided" })}>${t("confirm")}</button>`}
      <button class="chip" onClick=${() => put({ status: "rejected" })}>${t("reject")}</button>
      ${statement.corrected_by && html`<span class="corrected">${t("confirmed_by")} ${statement.corrected_by}</span>`}
    </span>
  `;
}
