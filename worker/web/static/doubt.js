// Words whose figures or days the speech engine did not hear clearly: underlined, and told to who does not see it.

import { html } from "./vendor/preact-htm.js";
import { t } from "./words.js";

// `doubtful`: from and up to which character each stands; the document counts whole characters, not UTF-16.
export function Heard({ text, doubtful = [] }) {
  if (!doubtful.length) return text;
  const letters = [...text];
  const parts = [];
  let since = 0;
  for (const [start, end] of doubtful) {
    parts.push(letters.slice(since, start).join(""), html`<${Unclear} words=${letters.slice(start, end).join("")} />`);
    since = end;
  }
  return html`${parts}${letters.slice(since).join("")}`;
}

function Unclear({ words }) {
  return html`<span class="unclear" title=${t("unclear_hint")}>${words}<span class="unseen"> (${t("unclear")})</span></span>`;
}
