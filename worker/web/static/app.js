// The way in: who is this, and which page is at this address?

import { Agent } from "./agent.js";
import { call, Failed } from "./api.js";
import { Captions } from "./captions.js";
import { Home } from "./home.js";
import { Meeting } from "./meeting.js";
import { Minutes } from "./minutes.js";
import { html, render, useEffect, useState } from "./vendor/preact-htm.js";
import { switchLanguage, t } from "./words.js";

function App() {
  const [viewer, setViewer] = useState(undefined);
  useEffect(() => {
    signedIn().then(setViewer, () => setViewer(null));
  }, []);
  if (viewer === undefined) return null;
  return html`
    <a class="skip" href="#main">${t("transcript")}</a>
    ${viewer === null ? html`<${SignIn} onDone=${setViewer} />` : html`<${Page} viewer=${viewer} />`}
  `;
}

function Page({ viewer }) {
  const [, section, id, part] = location.pathname.split("/").map(decodeURIComponent);
  if (section !== "m" && section !== "meetings") return html`<${Home} viewer=${viewer} />`;
  const Shown = { minutes: Minutes, agent: Agent, captions: Captions }[part] ?? Meeting;
  return html`<${Shown} id=${id} viewer=${viewer} />`;
}

// A shared link, and the address that `moim dev` prints, bring what lets one in behind their #, which no server sees.
async function signedIn() {
  const given = new URLSearchParams(location.hash.slice(1));
  const name = ["token", "link"].find((each) => given.has(each));
  if (!name) return call("GET", "/session");
  history.replaceState(null, "", location.pathname + location.search);
  return call("POST", "/session", { [name]: given.get(name) });
}

function SignIn({ onDone }) {
  const [error, setError] = useState("");
  const submit = async (event) => {
    event.preventDefault();
    try {
      onDone(await call("POST", "/session", { token: event.target.token.value }));
    } catch (problem) {
      setError(problem.status === 401 ? t("wrong_token") : problem instanceof Failed ? problem.message : t("wrong"));
    }
  };
  return html`
    <main id="main" class="narrow">
      <h1>Moim</h1>
      <form onSubmit=${submit} class="stack">
        <label>${t("token")}<input name="token" type="password" autocomplete="current-password" required autofocus /></label>
        <button class="main">${t("sign_in")}</button>
        <p class="faint">${t("link_over")}</p>
        ${error && html`<p class="error" role="alert">${error}</p>`}
      </form>
      <button class="quiet" onClick=${switchLanguage}>${t("language")}</button>
    </main>
  `;
}

render(html`<${App} />`, document.getElementById("app"));
