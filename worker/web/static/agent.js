// What the agent keeps in mind of a meeting (seed 001's panel), and what its models were sent (seed 004's).

import { call } from "./api.js";
import { html, useEffect, useState } from "./vendor/preact-htm.js";
import { language, switchLanguage, t } from "./words.js";

const LOOK_EVERY_MS = 4000;
const count = (number) => number.toLocaleString(language);

export function Agent({ id, viewer }) {
  const [panels, setPanels] = useState(null);
  const [error, setError] = useState("");
  const address = `/meetings/${encodeURIComponent(id)}`;
  const look = async () => {
    try {
      const [thread, budget] = await Promise.all([call("GET", `${address}/thread`), call("GET", `${address}/budget`)]);
      setPanels({ thread, budget });
      setError("");
    } catch (problem) {
      setError(problem.message);
    }
  };
  useEffect(() => {
    look();
    const again = setInterval(() => document.hidden || look(), LOOK_EVERY_MS);
    return () => clearInterval(again);
  }, [id]);
  const setRate = (rate) => call("PUT", `${address}/rate`, { rate }).then(look, (problem) => setError(problem.message));
  return html`
    <header class="bar">
      <a class="quiet" href=${`/m/${encodeURIComponent(id)}`} aria-label=${t("transcript")}>←</a>
      <h1>${t("agent")}</h1>
      <span class="grow"></span>
      <button class="quiet" onClick=${switchLanguage}>${t("language")}</button>
    </header>
    <main id="main" class="wide panels">
      <p class="faint">${t("agent_is")}</p>
      ${error && html`<p class="error" role="alert">${error}</p>`}
      ${panels && html`<${Summaries} thread=${panels.thread} onRate=${viewer.may_edit ? setRate : undefined} /><${Budget} budget=${panels.budget} />`}
    </main>
  `;
}

function Summaries({ thread, onRate }) {
  const totals = thread.statistics;
  const [rate, setRate] = useState(thread.compression_rate);
  useEffect(() => setRate(thread.compression_rate), [thread.compression_rate]);
  return html`
    <section>
      <h2>${t("summaries")}</h2>
      <label>${t("rate")} <output>${rate}</output>
        <input type="range" min="0.1" max="0.5" step="0.05" value=${rate} disabled=${!onRate}
          onInput=${(event) => setRate(Number(event.target.value))} onChange=${(event) => onRate(Number(event.target.value))} />
      </label>
      <p class="faint">${t("rate_hint")}</p>
      ${thread.summary_history.length === 0 && html`<p class="faint">${t("no_summaries").replace("{n}", thread.turn_count)}</p>`}
      <ol class="cards">
        ${thread.summary_history.map((each) => html`
          <li class="card" key=${each.version ?? each.turns}>
            <strong>${t("of_turns")} ${headingOf(each)}</strong>
            <span class="faint">${t("rate")} ${each.compression_rate}${each.merged && html` (${each.true_rate}: ${t("window_full")})`} · ${count(each.original_chars)} → ${count(each.summary_chars)} ${t("characters")}</span>
            <span class="passage">${each.summary ?? each.text}</span>
          </li>
        `)}
      </ol>
      <p>${t("totals")}: ${count(totals.original_chars)} → ${count(totals.summary_chars)} ${t("characters")}, <b>${totals.saved_percent} %</b> ${t("saved")}</p>
    </section>
  `;
}

const headingOf = ({ turns }) => (Array.isArray(turns) ? `${turns[0]}–${turns.at(-1)}` : turns);

function Budget({ budget }) {
  const limit = budget.total_budget * budget.compression_share;
  return html`
    <section>
      <h2>${t("budget")}</h2>
      <p>${t("used")} <b>${count(budget.used)}</b> / ${count(budget.total_budget)} ${t("tokens")} (${budget.usage_percent.toFixed(1)} %) · ${t("remaining")} ${count(budget.remaining)}</p>
      <meter min="0" max=${budget.total_budget} high=${limit} value=${budget.used} aria-label=${t("used")}></meter>
      <p>${t("compression")}: <b>${budget.compression_mode ? t("compressing") : t("normal")}</b> · ${t("last_hour")}: ${count(budget.hour.used)} ${budget.hour.limit > 0 && html`/ ${count(budget.hour.limit)} `}${t("tokens")}</p>
      ${budget.hour.limit > 0 && budget.hour.used >= budget.hour.limit && html`<p role="status"><b>${t("hour_spent")}</b></p>`}
      <${Shares} of=${budget.per_agent} />
      <h3>${t("by_purpose")}</h3>
      ${budget.last ? html`<${Shares} of=${tokensOf(budget.per_purpose)} />` : html`<p class="faint">${t("no_prompts")}</p>`}
      ${budget.last && html`
        <h3>${t("last_prompt")}: ${budget.last.purpose}</h3>
        <p>${count(budget.last.tokens)} ${t("tokens")} · ${t("level")} ${budget.last.level}</p>
        <${Shares} of=${budget.last.producers} />
      `}
    </section>
  `;
}

const tokensOf = (purposes) => Object.fromEntries(Object.entries(purposes).map(([name, { tokens }]) => [name, tokens]));

function Shares({ of }) {
  const shares = Object.entries(of).sort((one, other) => other[1] - one[1]);
  const most = Math.max(1, ...shares.map(([, tokens]) => tokens));
  return html`
    <ul class="cards">
      ${shares.map(([name, tokens]) => html`
        <li class="card" key=${name}><span>${name}</span> <span class="faint">${count(tokens)} ${t("tokens")}</span>
          <meter min="0" max=${most} value=${tokens} aria-label=${name}></meter></li>
      `)}
    </ul>
  `;
}
