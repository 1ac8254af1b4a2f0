// Minutes in a form of one's own: Markdown as the dispatcher writes it, shown and printed. Text stays text.

import { html } from "./vendor/preact-htm.js";

const BLOCKS = [
  [/^<details><summary>(.*)<\/summary>$/, ([, rest]) => ({ kind: "h3", text: rest })], // in our own form, should the other fail
  [/^<\/details>$/, () => ({ kind: "p", text: "" })],
  [/^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/, () => ({ kind: "hr" })],
  [/^(#{1,6})\s+(.*)$/, ([, signs, rest]) => ({ kind: `h${signs.length}`, text: rest })],
  [/^\s*(?:[-*+]|\d{1,9}[.)])\s+(.*)$/, ([line, rest]) => ({ kind: /^\s*\d/.test(line) ? "ol" : "ul", number: parseInt(line, 10), inner: /^\s/.test(line), text: rest })],
  [/^\s*\|(.*)\|\s*$/, ([, cells]) => ({ kind: "table", cells: cells.split(/(?<!\\)\|/) })],
  [/^>\s?(.*)$/, ([, rest]) => ({ kind: "blockquote", text: rest })],
];

export function Written({ text }) {
  const rows = [];
  for (const line of text.split("\n")) {
    const row = blockOf(line);
    const before = rows.at(-1);
    if (row.kind === "p" && before?.kind === "p" && row.text && before.text) before.text += ` ${row.text}`;
    else rows.push(row);
  }
  return groupsOf(rows.filter((row) => row.kind !== "p" || row.text)).map((group, at) => html`<${Group} key=${at} rows=${group} />`);
}

function blockOf(line) {
  for (const [pattern, made] of BLOCKS) {
    const found = pattern.exec(line);
    if (found) return made(found);
  }
  return { kind: "p", text: line.trim() };
}

// Rows of one list, table or quotation stand together.
function groupsOf(rows) {
  const groups = [];
  for (const row of rows) {
    const before = groups.at(-1);
    if (before && before[0].kind === row.kind && ["ul", "ol", "table", "blockquote"].includes(row.kind)) before.push(row);
    else groups.push([row]);
  }
  return groups;
}

function Group({ rows }) {
  const { kind, number } = rows[0];
  if (kind === "hr") return html`<hr />`;
  if (kind === "table") return html`<${Table} rows=${rows} />`;
  if (kind === "ul") return html`<ul>${rows.map((row, at) => html`<li key=${at} class=${row.inner ? "inner" : ""}>${inline(row.text)}</li>`)}</ul>`;
  if (kind === "ol") return html`<ol start=${number}>${rows.map((row, at) => html`<li key=${at} class=${row.inner ? "inner" : ""}>${inline(row.text)}</li>`)}</ol>`;
  if (kind === "blockquote") return html`<blockquote>${rows.map((row, at) => html`<p key=${at}>${inline(row.text)}</p>`)}</blockquote>`;
  const Tag = kind;
  return html`<${Tag}>${inline(rows[0].text)}<//>`;
}

function Table({ rows }) {
  const [head, ...rest] = rows.map((row) => row.cells.map((cell) => cell.trim()));
  const body = rest.filter((cells) => !cells.every((cell) => /^:?-+:?$/.test(cell)));
  return html`
    <table>
      ${head.some(Boolean) && html`<thead><tr>${head.map((cell, at) => html`<th key=${at}>${inline(cell)}</th>`)}</tr></thead>`}
      <tbody>${body.map((cells, at) => html`<tr key=${at}>${cells.map((cell, place) => html`<td key=${place}>${inline(cell)}</td>`)}</tr>`)}</tbody>
    </table>
  `;
}

const INLINE = /\\([\\`*_[\]{}<>()#+\-.!|~:=])|&(lt|gt|amp);|(\*\*|~~|_)(?=\S)((?:\\.|[^\\])+?)\3/g;
const TAGS = { "**": "strong", "~~": "s", _: "em" };
const ENTITIES = { lt: "<", gt: ">", amp: "&" };

// Bold, struck out and slanted; everything else is what stands there, without its backslashes.
function inline(text) {
  const shown = [];
  let from = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, escaped, entity, sign, inside] = found;
    const Tag = TAGS[sign];
    if (sign === "_" && /\w$/.test(text.slice(0, found.index))) continue; // a_b_c is no emphasis
    shown.push(text.slice(from, found.index), escaped ?? ENTITIES[entity] ?? html`<${Tag}>${inline(inside)}<//>`);
    from = found.index + whole.length;
  }
  return [...shown, text.slice(from)];
}
