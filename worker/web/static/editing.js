// Put right in place: what is shown becomes a field, Enter keeps it, Escape lets it be.

import { call } from "./api.js";
import { html, useEffect, useRef, useState } from "./vendor/preact-htm.js";
import { t } from "./words.js";

// Sends one correction. Who makes it is asked once, and kept in this browser.
export function corrector(id) {
  return (fix) => {
    const by = localStorage.getItem("moim.name") || prompt(t("who_corrects")) || "";
    if (!by.trim()) return Promise.resolve();
    localStorage.setItem("moim.name", by);
    return call("PATCH", `/meetings/${encodeURIComponent(id)}`, { by, fix });
  };
}

// What becomes of one line: erased for good, or shown again where somebody's /off has hidden it. Whoever asks for it
// is asked for their name, and before an erasure once more; a refusal is told.
export function decider(id) {
  const ask = async (way, utterance) => {
    const by = localStorage.getItem("moim.name") || prompt(t("who_corrects")) || "";
    if (!by.trim()) return;
    localStorage.setItem("moim.name", by);
    try {
      await call("POST", `/meetings/${encodeURIComponent(id)}/${way}`, { by, utterances: [utterance] });
    } catch (problem) {
      alert(problem.message);
    }
  };
  return {
    erase: (utterance) => confirm(t("erase_sure")) && ask("erasures", utterance),
    show: (utterance) => ask("shown", utterance),
  };
}

// `text`, to be edited where `onSave` is given. `label`: what it is, for those who do not see it.
// `people`, `person`: who said it, which can be put right beside it. `asks`: whether Enter without a change says
// that it is right as it is.
export function Editable({ text, label, onSave, people, person, asks, children }) {
  const [state, setState] = useState("shown");
  const [error, setError] = useState("");
  const field = useRef(null);
  const who = useRef(null);
  const leaving = useRef(false); // what takes the field away is told of as a loss of focus, too
  useEffect(() => {
    if (state === "edited") field.current.focus();
  }, [state]);
  const edit = () => {
    leaving.current = false; // at once: an effect may come after an Enter
    setState("edited");
  };
  if (!onSave) return children;
  if (state === "shown") {
    return html`${children} <button class="pencil" aria-label=${`${t("edit")}: ${label}`} title=${t("edit")} onClick=${edit}>✎</button>`;
  }
  const save = async (event, confirmed = false) => {
    event.preventDefault();
    if (leaving.current || event.relatedTarget?.form === field.current.form) return;
    leaving.current = true;
    const value = field.current.value.trim();
    const speaker = who.current?.value ?? person;
    try {
      if (value && (confirmed || value !== text || speaker !== person)) await onSave(value, speaker);
      setState("shown");
      setError("");
    } catch (problem) {
      leaving.current = false;
      setError(problem.message);
    }
  };
  const pressed = (event) => {
    if (event.key === "Escape") {
      leaving.current = true;
      setState("shown");
    }
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) save(event, asks);
  };
  return html`
    <form class="edited" onSubmit=${save}>
      <textarea ref=${field} aria-label=${label} rows="1" defaultValue=${text} onKeyDown=${pressed} onBlur=${save}></textarea>
      ${people && html`
        <select ref=${who} aria-label=${t("said_by")} onKeyDown=${pressed} onBlur=${save}>
          ${[...people].map(([id, name]) => html`<option key=${id} value=${id} selected=${id === person}>${name}</option>`)}
        </select>
      `}
      ${error && html`<span class="error" role="alert">${error}</span>`}
    </form>
  `;
}

// A term that was misheard is put right in the whole meeting.
export function Replacing({ correct }) {
  const [told, setTold] = useState("");
  const submit = async (event) => {
    event.preventDefault();
    const { heard, meant } = event.target.elements;
    try {
      await correct({ of: "term", heard: heard.value.trim(), meant: meant.value.trim() });
      event.target.reset();
      setTold(t("replaced"));
    } catch (problem) {
      setTold(problem.message);
    }
  };
  return html`
    <button class="quiet" popovertarget="replace">${t("replace")}</button>
    <div id="replace" popover="auto" class="menu">
      <form class="stack" onSubmit=${submit}>
        <label>${t("term_heard")}<input name="heard" required maxlength="100" /></label>
        <label>${t("term_meant")}<input name="meant" required maxlength="100" /></label>
        <button class="main">${t("replace_all")}</button>
        <p class="faint" role="status">${told || t("replace_hint")}</p>
      </form>
    </div>
  `;
}
