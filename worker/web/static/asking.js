// A question about the meeting, its answer as it grows, and the words that it rests on.

import { ask } from "./api.js";
import { Chat } from "./chat.js";
import { timesOf } from "./following.js";
import { show } from "./transcript.js";
import { html, useEffect, useRef, useState } from "./vendor/preact-htm.js";
import { t } from "./words.js";

export function Asking({ id, document: meeting, names, passage, mayAskOpenly, chat }) {
  const [turns, setTurns] = useState([]);
  const [part, setPart] = useState("all");
  const [more, setMore] = useState(false); // on a phone, what else the box offers is behind a button
  const [chatting, setChatting] = useState(false);
  const [read, setRead] = useState(0);
  const alone = useRef(null);
  const written = chat?.messages.length ?? 0;
  useEffect(() => setRead((known) => (chatting ? written : Math.min(known, written))), [chatting, written]);
  useEffect(() => setPart((chosen) => (passage ? "passage" : chosen === "passage" ? "all" : chosen)), [passage]);
  const field = useRef(null);
  const put = async (question) => {
    const number = turns.length;
    const change = (fields) =>
      setTurns((known) => known.map((turn, at) => (at === number ? { ...turn, ...fields } : turn)));
    setTurns([...turns, { question, text: "", under_way: true }]);
    try {
      const reply = await ask(id, question, how(part, passage, alone.current?.checked), (text) => change({ text }));
      change({ text: reply.text, reply, under_way: false });
    } catch (problem) {
      change({ error: problem.message, under_way: false });
    }
  };
  const submit = (event) => {
    event.preventDefault();
    const question = field.current.value.trim();
    if (!question) return;
    field.current.value = "";
    put(question);
  };
  return html`
    <section class=${more ? "asking more" : "asking"} aria-label=${t("ask")}>
      <div class="answers" aria-live="polite">
        ${turns.map((turn, at) => html`<${Turn} key=${at} turn=${turn} meeting=${meeting} names=${names} />`)}
      </div>
      ${chat && chatting && html`<${Chat} chat=${chat} names=${names} />`}
      <form onSubmit=${submit}>
        <button type="button" class="quiet ways" aria-expanded=${more} aria-label=${t("more_ways")} title=${t("more_ways")} onClick=${() => setMore(!more)}>⋯</button>
        <select aria-label=${t("asked_about")} value=${part} onChange=${(event) => setPart(event.target.value)}>
          <option value="all">${t("whole_meeting")}</option>
          ${passage && html`<option value="passage">${t("selected_lines")} (${passage.last - passage.first + 1})</option>`}
          ${[5, 15].map((minutes) => html`<option key=${minutes} value=${minutes}>${t("last_minutes").replace("{n}", minutes)}</option>`)}
        </select>
        <input ref=${field} name="question" placeholder=${t("ask")} aria-label=${t("ask")} maxlength="2000" autocomplete="off" />
        <button class="main">${t("ask_button")}</button>
        ${chat && html`<button type="button" class="quiet" aria-expanded=${chatting} onClick=${() => setChatting(!chatting)}>${t("chat")}${written > read && html` <b>${written - read}</b>`}</button>`}
      </form>
      <p class="shortcuts">
        ${["missed", "lately"].map((each) => html`<button class="chip" key=${each} onClick=${() => put(t(each))}>${t(each)}</button>`)}
        ${mayAskOpenly && html`<label class="faint check"><input ref=${alone} type="checkbox" name="private" /> ${t("private_answer")}</label>`}
      </p>
    </section>
  `;
}

function Turn({ turn, meeting, names }) {
  const time = timesOf(meeting);
  return html`
    <article class="turn">
      <p class="question">${turn.question}</p>
      ${turn.under_way && !turn.text && html`<p class="faint" role="status">${t("asking")}</p>`}
      ${turn.text && html`<div class="answer"><${Rich} text=${turn.text} /></div>`}
      ${turn.error && html`<p class="error" role="alert">${turn.error}</p>`}
      <p class="quotes">
        ${turn.reply?.evidence.map((each) => {
          const said = meeting.utterances.find((line) => line.id === each);
          if (!said) return null;
          const name = names.get(said.speaker) ?? said.speaker;
          return html`<button class="chip" key=${each} onClick=${() => show(each)}>${time(said.start_ms)} ${name}</button>`;
        })}
      </p>
    </article>
  `;
}

const how = (part, passage, alone) => ({
  ...(alone && { private: true }),
  ...(part === "passage" && { first_utterance: passage.first, last_utterance: passage.last }),
  ...(Number(part) && { last_minutes: Number(part) }),
});

// The little Markdown that answers have: **bold**, lists, headings. Text stays text, whatever it holds.
export function Rich({ text }) {
  return text.split("\n").map((line, at) => {
    const item = /^\s*[-*]\s+/.exec(line);
    const bare = line.replace(/^\s*(?:[-*]|#+)\s+/, "");
    const parts = bare.split("**").map((part, place) => (place % 2 ? html`<strong>${part}</strong>` : part));
    return html`<p key=${at} class=${item ? "item" : ""}>${parts}</p>`;
  });
}
