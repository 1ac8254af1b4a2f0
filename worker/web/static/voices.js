// The words of a statement. What several people said together stands as "Ann: … / Ben: …".

import { Heard } from "./doubt.js";
import { html } from "./vendor/preact-htm.js";

export function Words({ statement, names, brief }) {
  const bare = (text) => (brief ? text.replace(/[. ]+$/, "") : text);
  const turns = turnsOf(statement);
  const topic = statement.about ? `${statement.about}: ` : ""; // its words don't say what they are on
  if (turns.length < 2) return html`${topic}<${Heard} text=${bare(statement.text)} doubtful=${statement.doubtful} />`;
  return html`${topic}${turns.map((lines, turn) => html`
    ${turn > 0 && " / "}${names.get(lines[0].speaker) ?? lines[0].speaker}: ${lines.map((line, place) => html`
      ${place > 0 && " "}<${Heard} text=${turn === turns.length - 1 ? bare(line.text) : line.text} doubtful=${line.doubtful} />
    `)}
  `)}`;
}

// Whether each speaker is named before their own words, and need not be named behind them.
export const namesSpeakers = (statement) => turnsOf(statement).length > 1;

function turnsOf({ quotes = [] }) {
  const turns = [];
  for (const quote of quotes) {
    const last = turns.at(-1);
    if (last?.[0].speaker === quote.speaker) last.push(quote);
    else turns.push([quote]);
  }
  return turns;
}
