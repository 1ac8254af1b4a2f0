// A search over all meetings and documents, or within one meeting, and what it found.

import { call } from "./api.js";
import { html, useState } from "./vendor/preact-htm.js";
import { language, t } from "./words.js";

// `within`: the meeting to search in; `jump` is called with the number of the line that was chosen there.
export function Search({ within, jump }) {
  const [found, setFound] = useState(null);
  const [error, setError] = useState("");
  const label = t(within === undefined ? "search" : "search_here");
  const submit = async (event) => {
    event.preventDefault();
    const text = event.target.elements.q.value.trim();
    const path = within === undefined ? "/search" : `/meetings/${encodeURIComponent(within)}/search`;
    try {
      setFound({ text, ...(await call("GET", `${path}?q=${encodeURIComponent(text)}`)) });
      setError("");
    } catch (problem) {
      setFound(null);
      setError(problem.message);
    }
  };
  const emptied = (event) => event.target.value === "" && setFound(null);
  return html`
    <form class="search" role="search" onSubmit=${submit}>
      <input name="q" type="search" required maxlength="400" placeholder=${label} aria-label=${label} onInput=${emptied} />
      <button class="quiet">${t("search_button")}</button>
    </form>
    ${error && html`<p class="error" role="alert">${error}</p>`}
    <div role="status">
      ${found?.hits.length === 0 && html`<p class="faint nothing">${t("nothing_found").replace("{q}", () => found.text)}</p>`}
    </div>
    ${found?.hits.length > 0 && html`
      <ul class="cards found">
        ${found.hits.map((hit, at) => html`<li key=${at}><${Hit} hit=${hit} jump=${jump} /></li>`)}
      </ul>
    `}
  `;
}

function Hit({ hit, jump }) {
  const when = hit.said_at && new Date(hit.said_at).toLocaleString(language);
  const where = [hit.topic, hit.page && `p. ${hit.page}`, !jump && when].filter(Boolean).join(" · ");
  const inside = html`
    ${!jump && html`<strong>${hit.title}</strong>`}
    ${where && html`<span class="faint">${where}</span>`}
    <span class="passage"><${Marked} text=${hit.text} marks=${hit.marks} /></span>
  `;
  if (hit.kind === "document") return html`<div class="card">${inside}</div>`;
  if (jump) return html`<button class="card" onClick=${() => jump(hit.utterance)}>${inside}</button>`;
  return html`<a class="card" href=${`/m/${encodeURIComponent(hit.id)}#u-${hit.utterance}`}>${inside}</a>`;
}

// The marks count whole characters; of some JavaScript makes two.
function Marked({ text, marks }) {
  const letters = [...text];
  const parts = [];
  let at = 0;
  for (const [start, end] of marks) {
    parts.push(letters.slice(at, start).join(""), html`<mark>${letters.slice(start, end).join("")}</mark>`);
    at = end;
  }
  return html`${parts}${letters.slice(at).join("")}`;
}
