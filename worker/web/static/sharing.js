// Links that let others into one meeting: made with an end, listed while they stand, withdrawn.

import { call } from "./api.js";
import { html, useRef, useState } from "./vendor/preact-htm.js";
import { language, t } from "./words.js";

const DAY_S = 86_400;
const ENDS = [3600, DAY_S, 7 * DAY_S, 30 * DAY_S, 365 * DAY_S];
const USUAL_S = 7 * DAY_S;

export function Share({ id }) {
  const [told, setTold] = useState("");
  const [copied, setCopied] = useState(false);
  const [error, setError] = useState("");
  const [links, setLinks] = useState([]);
  const ends = useRef(null);
  const address = `/meetings/${encodeURIComponent(id)}/links`;
  const doing = async (work) => {
    try {
      await work();
      setLinks((await call("GET", address)).links);
      setError("");
    } catch (problem) {
      setError(problem.message);
    }
  };
  const share = (edit) => () =>
    doing(async () => {
      const { path } = await call("POST", address, { edit, seconds: Number(ends.current.value) });
      setCopied(await copy(location.origin + path));
      setTold(location.origin + path);
    });
  const withdraw = (link) => () =>
    doing(async () => {
      await call("DELETE", `${address}/${encodeURIComponent(link.id)}`);
      setTold("");
    });
  const opened = (event) => event.newState === "open" && doing(async () => {});
  return html`
    <button class="quiet" popovertarget="share">${t("share")}</button>
    <div id="share" popover="auto" class="menu" onToggle=${opened}>
      <label>${t("share_until")}
        <select ref=${ends} defaultValue=${USUAL_S}>
          ${ENDS.map((seconds) => html`<option key=${seconds} value=${seconds} selected=${seconds === USUAL_S}>${t(`lasts_${seconds}`)}</option>`)}
        </select>
      </label>
      <button class="quiet" onClick=${share(false)}>${t("share_look")}</button>
      <button class="quiet" onClick=${share(true)}>${t("share_edit")}</button>
      ${told && html`<label>${t(copied ? "copied" : "copy_this")}<input readonly value=${told} onFocus=${(event) => event.target.select()} /></label>`}
      ${error && html`<p class="error" role="alert">${error}</p>`}
      <p class="faint">${t("share_hint")}</p>
      ${links.length > 0 && html`
        <h2>${t("standing_links")}</h2>
        <ul class="links">
          ${links.map((link) => html`
            <li key=${link.id}>
              <span>${t(link.may_edit ? "link_edits" : "link_looks")} · ${until(link)}</span>
              <button class="chip" aria-label=${`${t("withdraw")}: ${t(link.may_edit ? "link_edits" : "link_looks")} ${until(link)}`} onClick=${withdraw(link)}>${t("withdraw")}</button>
            </li>
          `)}
        </ul>
      `}
    </div>
  `;
}

// Whether it is on the clipboard, which browsers give over https and on the same machine alone.
const copy = (text) => navigator.clipboard?.writeText(text).then(() => true, () => false) ?? false;

const until = ({ expires_at: at }) => t("until").replace("{at}", new Date(at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" }));
