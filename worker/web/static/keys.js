// Keys of a meeting's page: to ask, to go from line to line, to edit one and to bookmark it; and what they are.

import { show } from "./transcript.js";
import { html, useEffect, useRef, useState } from "./vendor/preact-htm.js";
import { t } from "./words.js";

const OFF = "moim.keys_off";
// By what a key writes, also where a Korean keyboard is switched to Hangul.
const ACTIONS = { "/": "ask", j: "next", ㅓ: "next", k: "previous", ㅏ: "previous", e: "edit", ㄷ: "edit", b: "bookmark", ㅠ: "bookmark", "?": "help" };
const HELP = [["/", "key_ask"], ["j", "key_next"], ["k", "key_previous"], ["e", "key_edit"], ["b", "key_bookmark"], ["?", "key_help"]];
const WRITES = "input, textarea, select, [contenteditable]";

// What is on the page for each action; `bookmark` is called with the number of the line that is marked.
const DOING = {
  ask: () => document.querySelector(".asking input[name=question]")?.focus(),
  next: () => step(1),
  previous: () => step(-1),
  edit: () => marked()?.querySelector(".words .pencil:not(.bin)")?.click(),
};

const marked = () => document.querySelector(".line.marked");
const numberOf = (line) => Number(line.id.slice(2));

// From the marked line, or from the first or last one in sight where none is.
function step(by) {
  const lines = [...document.querySelectorAll(".line[id]")];
  const at = lines.indexOf(marked());
  const next = at < 0 ? inSight(lines, by) : lines[at + by];
  if (next) show(numberOf(next));
}

function inSight(lines, by) {
  const { top, bottom } = document.querySelector(".transcript").getBoundingClientRect();
  const seen = lines.filter((line) => line.getBoundingClientRect().bottom > top && line.getBoundingClientRect().top < bottom);
  return by > 0 ? seen[0] : seen.at(-1);
}

export function Keys({ bookmark }) {
  const [off, setOff] = useState(localStorage.getItem(OFF) !== null);
  const help = useRef(null);
  useEffect(() => {
    const pressed = (event) => {
      const action = ACTIONS[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.target.closest?.(WRITES)) return;
      if (help.current.open || (off && action !== "help")) return;
      event.preventDefault();
      if (action === "help") help.current.showModal();
      else if (action === "bookmark") marked() && bookmark(numberOf(marked()));
      else DOING[action]();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [off, bookmark]);
  const turn = (event) => {
    setOff(!event.target.checked);
    if (event.target.checked) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "1");
  };
  return html`
    <button class="quiet keys" aria-label=${t("keys")} title=${t("keys")} onClick=${() => help.current.showModal()}>?</button>
    <dialog ref=${help} aria-label=${t("keys")}>
      <h2>${t("keys")}</h2>
      <dl class="keys">${HELP.map(([key, told]) => html`<div key=${key}><dt><kbd>${key}</kbd></dt><dd>${t(told)}</dd></div>`)}</dl>
      <label class="check"><input type="checkbox" checked=${!off} onChange=${turn} /> ${t("keys_on")}</label>
      <form method="dialog"><button class="main">${t("close")}</button></form>
    </dialog>
  `;
}
