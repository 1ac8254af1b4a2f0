// Lines that somebody keeps for themselves: their numbers, without a word of them, in this browser alone.

import { show } from "./transcript.js";
import { html, useState } from "./vendor/preact-htm.js";
import { timesOf } from "./following.js";
import { t } from "./words.js";

const kept = (id) => `moim.bookmarks.${id}`;

// [the numbers of the lines in order, what keeps a line or lets it go]
export function useBookmarks(id) {
  const [lines, setLines] = useState(() => JSON.parse(localStorage.getItem(kept(id)) ?? "[]"));
  const turn = (line) =>
    setLines((known) => {
      const now = known.includes(line) ? known.filter((each) => each !== line) : [...known, line].sort((a, b) => a - b);
      if (now.length) localStorage.setItem(kept(id), JSON.stringify(now));
      else localStorage.removeItem(kept(id));
      return now;
    });
  return [lines, turn];
}

export function Bookmarks({ document: meeting, names, lines }) {
  const time = timesOf(meeting);
  const said = new Map(meeting.utterances.map((each) => [each.id, each]));
  const there = lines.map((line) => said.get(line)).filter(Boolean);
  if (there.length === 0) return null;
  return html`
    <h2>${t("bookmarks")} <span class="count">${there.length}</span></h2>
    <ul class="bookmarks">
      ${there.map((each) => html`
        <li key=${each.id}>
          <button class="evidence" onClick=${() => show(each.id)}>
            <span class="faint">${time(each.start_ms)} ${names.get(each.speaker) ?? each.speaker}</span>
            <span class="passage">${each.text || t("erased")}</span>
          </button>
        </li>
      `)}
    </ul>
  `;
}
