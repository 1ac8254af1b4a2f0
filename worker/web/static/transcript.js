// What is said, line by line, following the end unless somebody reads further up.

import { coloursOf, inColour } from "./colours.js";
import { Heard } from "./doubt.js";
import { Editable } from "./editing.js";
import { timesOf } from "./following.js";
import { Component, html, useEffect, useRef, useState } from "./vendor/preact-htm.js";
import { seconds, t } from "./words.js";

const NEAR_THE_END_PX = 80;
const AT_FIRST = 200;

export function Transcript({ document: meeting, names, interim, live, correct, decide, mayDecide, onPassage, bookmarks, bookmark }) {
  const box = useRef(null);
  const [following, setFollowing] = useState(live && !location.hash);
  // Of a long meeting the lines in sight are drawn first, and all others once these are there to read.
  const [whole, setWhole] = useState(Boolean(location.hash));
  const count = meeting.utterances.length;
  useEffect(() => {
    if (following) box.current.scrollTop = box.current.scrollHeight;
  }, [count, following, whole, Object.values(interim).map((said) => said?.text).join()]);
  useEffect(() => {
    const rest = setTimeout(() => setWhole(true));
    return () => clearTimeout(rest);
  }, []);
  useEffect(() => {
    if (location.hash.startsWith("#u-")) show(Number(location.hash.slice(3)));
  }, []);
  const selected = () => onPassage(passageOf(getSelection(), box.current));
  const scrolled = () => {
    const { scrollHeight, scrollTop, clientHeight } = box.current;
    setFollowing(scrollHeight - scrollTop - clientHeight < NEAR_THE_END_PX);
  };
  const rows = rowsOf(meeting);
  const colours = coloursOf(meeting);
  const drawn = whole ? rows : following ? rows.slice(-AT_FIRST) : rows.slice(0, AT_FIRST);
  return html`
    <section class="transcript" ref=${box} onScroll=${scrolled} onPointerUp=${selected} onKeyUp=${selected} tabindex="0" role="log" aria-label=${t("transcript")}>
      ${count === 0 && html`<p class="faint">${t(live ? "nothing_said" : "nothing_said_here")}</p>`}
      ${drawn.map((row) => html`<${Row} key=${row.key} row=${row} name=${names.get(row.speaker) ?? row.speaker} hue=${colours.get(row.speaker)} kept=${bookmarks.includes(row.said?.id)} bookmark=${bookmark} names=${names} correct=${correct} decide=${row.speaker && mayDecide(row.speaker) ? decide : undefined} />`)}
      ${Object.entries(interim).filter(([, said]) => said?.text).map(([speaker, said]) => html`
        <p class="line interim" key=${`i-${speaker}`} aria-live="off"><b>${names.get(speaker) ?? t("unknown_speaker")}</b> <${UnderWay} said=${said} /></p>
      `)}
    </section>
    ${!following && live && html`<button class="newest" onClick=${() => setFollowing(true)}>${t("newest")}</button>`}
  `;
}

// Words that are being said: those that are to stay, and those that may still change. They are not read aloud, as
// they would be at each change; the line itself is, once it is whole.
export function UnderWay({ said: { text, firm } }) {
  return html`${text.slice(0, firm)}<span class="tentative">${text.slice(firm)}</span>`;
}

// The first and last line that a selection touches, or null.
function passageOf(selection, box) {
  if (selection.isCollapsed || !box.contains(selection.anchorNode) || !box.contains(selection.focusNode)) return null;
  const line = (node) => (node.nodeType === 1 ? node : node.parentElement).closest("[id^=u-]");
  const ids = [line(selection.anchorNode), line(selection.focusNode)].filter(Boolean).map((each) => Number(each.id.slice(2)));
  return ids.length ? { first: Math.min(...ids), last: Math.max(...ids) } : null;
}

// Lines, topic headings and gaps in the order of time. The same objects again where nothing changed.
function rowsOf(meeting) {
  const starts = new Map(meeting.topics.map((topic) => [topic.first_utterance, topic]));
  const rows = [];
  const time = timesOf(meeting);
  // What was wished off the record stands as a mark: when, how long, by whom.
  const taken = (meeting.erasures ?? []).filter((each) => each.what === "stretch").map((each) => ({ start_ms: each.since_ms, end_ms: each.at_ms, by: each.by, what: "taken_out" }));
  const off = [...(meeting.off_the_record ?? []), ...taken];
  const offRow = (mark) => ({ key: `o-${mark.start_ms}-${mark.what ?? ""}`, kind: "off", mark, at: time(mark.start_ms), text: String(mark.end_ms), speaker: mark.by });
  const gapRow = (gap) => ({ key: `g-${gap.start_ms}-${gap.participant}`, kind: "gap", gap, at: time(gap.start_ms), text: `${gap.reason} ${gap.end_ms}`, speaker: gap.participant });
  const gaps = [...meeting.gaps.map(gapRow), ...off.map(offRow)].sort((a, b) => startOf(a) - startOf(b));
  let speaker = null;
  for (const said of meeting.utterances) {
    while (gaps.length && startOf(gaps[0]) <= said.start_ms) {
      rows.push(gaps.shift());
      speaker = null;
    }
    const topic = starts.get(said.id);
    if (topic) {
      rows.push({ key: `t-${topic.id}`, kind: "topic", text: topic.name });
      speaker = null;
    }
    rows.push({ key: `u-${said.id}`, kind: "line", said, at: time(said.start_ms), text: said.text, speaker: said.speaker, again: said.speaker === speaker });
    speaker = said.speaker;
  }
  return [...rows, ...gaps];
}

const startOf = (row) => (row.gap ?? row.mark).start_ms;

// A row is drawn again only where its words changed: a long meeting has thousands.
class Row extends Component {
  shouldComponentUpdate({ row, name, hue, kept, decide }) {
    const old = this.props;
    return Boolean(old.decide) !== Boolean(decide) || old.row.said?.hidden !== row.said?.hidden || old.row.text !== row.text || old.row.at !== row.at || old.row.speaker !== row.speaker || old.row.again !== row.again || old.name !== name || old.hue !== hue || old.kept !== kept || old.row.said?.corrected_by !== row.said?.corrected_by;
  }

  render({ row, name, hue, kept, bookmark, names, correct, decide }) {
    if (row.kind === "topic") return html`<h3 class="topic-starts">${row.text}</h3>`;
    if (row.kind === "off") {
      const { start_ms, end_ms } = row.mark;
      return html`<p class="gap">${row.at} · ${t(row.mark.what ?? "off_the_record")}${end_ms !== null && ` ${seconds(end_ms - start_ms)}`} · ${name}</p>`;
    }
    if (row.kind === "gap") {
      return html`<p class="gap">${row.at} · ${name} · ${t("gap")} ${seconds(row.gap.end_ms - row.gap.start_ms)} · ${t(row.gap.reason)}</p>`;
    }
    return html`
      <div class=${row.again ? "line again" : "line"} id=${row.key}>
        <a class="at" href=${`#${row.key}`} onClick=${() => mark(row.said.id)}>${row.at}</a>
        ${!row.again && html`<b class="speaker" style=${inColour(hue)}>${name}</b>`}
        ${!row.text && html`<span class="words faint">
          ${t(row.said.hidden ? "hidden" : "erased")}
          ${row.said.hidden && decide && html`
            <button class="chip" onClick=${() => decide.show(row.said.id)}>${t("show_again")}</button>
            <button class="chip" onClick=${() => decide.erase(row.said.id)}>${t("erase")}</button>
          `}
        </span>`}
        ${row.text && html`<span class="words">
          <${Editable} text=${row.text} label=${t("words_of").replace("{name}", name)} 
            people=${names} person=${row.speaker} asks=${Boolean(row.said.doubtful)}
            onSave=${correct && ((text, speaker) => correct({ of: "utterance", utterance: row.said.id, text, was: row.text, ...(speaker !== row.speaker && { speaker }) }))}>
            <${Heard} text=${row.text} doubtful=${row.said.doubtful} />
            ${row.said.corrected_by && html`<span class="corrected" title=${row.said.heard}>${t("edited_by").replace("{name}", names.get(row.said.corrected_by) ?? row.said.corrected_by)}</span>`}
          <//>
          <button class="star" aria-pressed=${kept} aria-label=${`${t("bookmark")}: ${row.text}`} title=${t("bookmark")} onClick=${() => bookmark(row.said.id)}>${kept ? "★" : "☆"}</button>
          ${decide && html`<button class="pencil bin" aria-label=${`${t("erase")}: ${row.text}`} title=${t("erase")} onClick=${() => decide.erase(row.said.id)}>✕</button>`}
        </span>`}
      </div>
    `;
  }
}

// The words that something rests on: brought into sight and marked.
export function show(id) {
  const line = document.getElementById(`u-${id}`);
  if (!line) return location.assign(`${location.pathname.replace(/\/minutes$/, "")}#u-${id}`);
  history.replaceState(null, "", `#u-${id}`);
  bringIntoSight(line);
  mark(id);
}

const FAR_SCREENS = 2;
const SETTLES_AFTER_FRAMES = 3;

// What is near is scrolled to, what is far is jumped to: the lines between have only a guessed height until they are
// drawn, so that the place of a far one is right only once those around it are there.
function bringIntoSight(line) {
  const far = Math.abs(line.getBoundingClientRect().top) > FAR_SCREENS * innerHeight;
  const still = far || matchMedia("(prefers-reduced-motion: reduce)").matches;
  line.scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
  let frames = far ? SETTLES_AFTER_FRAMES : 0;
  const settle = () => {
    if (frames-- <= 0) return;
    line.scrollIntoView({ block: "center" });
    requestAnimationFrame(settle);
  };
  requestAnimationFrame(settle);
}

function mark(id) {
  for (const each of document.querySelectorAll(".line.marked")) each.classList.remove("marked");
  document.getElementById(`u-${id}`)?.classList.add("marked");
}
