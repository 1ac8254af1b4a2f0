// What whoever runs Moim for the first time should know of it; dismissed once, it is gone for this browser.

import { html, useState } from "./vendor/preact-htm.js";
import { t } from "./words.js";

const SEEN = "moim.small_model_seen";

// The packaged model is small. Guests of a link are not told: they could change nothing.
export function SmallModel({ viewer }) {
  const [seen, setSeen] = useState(localStorage.getItem(SEEN) !== null);
  if (seen || !viewer.packaged_speech || viewer.meeting_id !== null) return null;
  const dismiss = () => {
    localStorage.setItem(SEEN, "1");
    setSeen(true);
  };
  return html`
    <p class="banner" role="status">
      ${t("small_model")} <code>STT_MODEL</code>, <code>STT_ENGINE</code> (docs/how-to/engines.md).
      <button class="quiet" onClick=${dismiss}>${t("understood")}</button>
    </p>
  `;
}
