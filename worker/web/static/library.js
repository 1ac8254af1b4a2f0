// The documents that answers look into: dropped here, listed, removed.

import { call } from "./api.js";
import { Drop } from "./dropping.js";
import { html, useEffect, useState } from "./vendor/preact-htm.js";
import { t } from "./words.js";

const passages = (row) => t("passages").replace("{n}", row.passages);

export function Documents() {
  const [rows, setRows] = useState([]);
  const [told, setTold] = useState("");
  const look = () => call("GET", "/documents").then((found) => setRows(found.documents), (problem) => setTold(problem.message));
  useEffect(() => void look(), []);
  const add = async (files) => {
    for (const file of files) {
      setTold(`${file.name} …`);
      try {
        const added = await call("POST", `/documents?name=${encodeURIComponent(file.name)}`, file);
        setTold(`${added.title}: ${passages(added)}`);
      } catch (problem) {
        setTold(problem.message);
      }
    }
    look();
  };
  const remove = async (row) => {
    if (!confirm(t("remove_sure").replace("{title}", row.title))) return;
    await call("DELETE", `/documents/${row.id}`).catch((problem) => setTold(problem.message));
    look();
  };
  return html`
    <section>
      <h2>${t("documents")} ${rows.length > 0 && html`<span class="count">${rows.length}</span>`}</h2>
      <${Drop} accept=".md,.markdown,.txt,.pdf,.docx" choose=${t("choose_documents")} onFiles=${add} onTold=${setTold}><span>${t("drop_here")}</span><//>
      <p class="faint" role="status">${told}</p>
      <ul class="cards">
        ${rows.map((row) => html`
          <li class="card" key=${row.id}>
            <strong>${row.title}</strong>
            <span class="faint">${row.kind}${row.pages ? ` · ${row.pages} p.` : ""} · ${passages(row)}</span>
            <span class="grow"></span>
            <button class="chip" onClick=${() => remove(row)} aria-label=${`${t("remove")}: ${row.title}`}>${t("remove")}</button>
          </li>
        `)}
      </ul>
    </section>
  `;
}
