// Who is there: talk time, interruptions, role with what it rests on, what became of their speech, and who answers whom.

import { coloursOf, inColour } from "./colours.js";
import { Editable } from "./editing.js";
import { clock, namesOf } from "./following.js";
import { show } from "./transcript.js";
import { html } from "./vendor/preact-htm.js";
import { seconds, t } from "./words.js";

export function People({ document, correct }) {
  const most = Math.max(1, ...document.participants.map((person) => person.stats.talk_ms));
  const colours = coloursOf(document);
  return html`
    <section>
      <h2>${t("people")} <span class="count">${document.participants.length}</span></h2>
      <ul class="people">
        ${document.participants.map((person) => html`<${Person} key=${person.id} person=${person} hue=${colours.get(person.id)} others=${document.participants} most=${most} correct=${correct} />`)}
      </ul>
      ${document.exchanges && html`<${Exchanges} exchanges=${document.exchanges} people=${document.participants} colours=${colours} />`}
    </section>
  `;
}

// Who answers whom, and how often each spoke right after the other.
function Exchanges({ exchanges: { pairs, more }, people, colours }) {
  const names = namesOf({ participants: people });
  const name = (id) => html`<b class="speaker" style=${inColour(colours.get(id))}>${names.get(id) ?? id}</b>`;
  return html`
    <table class="exchanges">
      <caption>${t("who_answers")}</caption>
      <thead><tr><th scope="col">${t("who_whom")}</th><th scope="col">${t("answers")}</th><th scope="col">${t("next_turns")}</th></tr></thead>
      <tbody>
        ${pairs.map((pair) => html`<tr key=${`${pair.id} ${pair.other}`}><th scope="row">${name(pair.id)} → ${name(pair.other)}</th><td>${pair.answers}</td><td>${pair.follows}</td></tr>`)}
      </tbody>
    </table>
    ${more > 0 && html`<p class="faint">${t("more_pairs").replace("{n}", more)}</p>`}
  `;
}

function Person({ person, hue, others, most, correct }) {
  const { stats, role_evidence: evidence } = person;
  const merge = (event) => {
    const into = others.find((each) => each.id === event.target.value);
    event.target.value = "";
    if (into && confirm(t("same_sure").replace("{one}", person.name).replace("{other}", into.name))) {
      correct({ of: "person", person: person.id, name: into.name, was: person.name, into: into.id });
    }
  };
  return html`
    <li>
      <span>
        <${Editable} text=${person.name} label=${person.name} onSave=${correct && ((name) => correct({ of: "person", person: person.id, name, was: person.name }))}>
          <b class="speaker" style=${inColour(hue)}>${person.name || person.id}</b>
        <//>
      </span>
      ${person.earlier_names?.length > 0 && html`<span class="faint">${t("was_called")} ${person.earlier_names.join(", ")}</span>`}
      ${person.agreed === false && html`<span class="chip">${t("not_heard")}</span>`}
      <button class="chip" disabled=${!evidence?.length} onClick=${() => show(evidence[0].utterance ?? evidence[0])}>${t(person.role)}</button>
      <meter min="0" max=${most} value=${stats.talk_ms} aria-label=${t("share_of_talk")}></meter>
      <span class="faint">${clock(stats.talk_ms)} · ${t("turns")} ${stats.turns} · ${t("interruptions")} ${stats.interruptions}</span>
      <${Ledger} speech=${person.speech} />
      ${correct && others.length > 1 && html`
        <select class="chip" aria-label=${`${person.name}: ${t("same_as")}`} onChange=${merge}>
          <option value="">${t("same_as")} …</option>
          ${others.filter((each) => each.id !== person.id).map((each) => html`<option key=${each.id} value=${each.id}>${each.name}</option>`)}
        </select>
      `}
    </li>
  `;
}

// "heard 12:40, transcribed 12:38, lost 2 s: takeover"
function Ledger({ speech }) {
  if (!speech?.heard_ms) return null;
  const lost = Object.entries(speech.lost_ms).map(([why, ms]) => `${t("lost")} ${seconds(ms)}: ${t(why)}`);
  return html`<span class="faint">${[`${t("heard")} ${clock(speech.heard_ms)}`, `${t("transcribed")} ${clock(speech.transcribed_ms)}`, ...lost].join(", ")}</span>`;
}
