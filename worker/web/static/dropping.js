// A field that files are dropped on, or chosen in; what else is dropped is told, and nothing beside it leaves the page.

import { html, useEffect, useRef, useState } from "./vendor/preact-htm.js";
import { t } from "./words.js";

// `accept`: endings of names, "" for any. `choose`: what the button says. `onFiles` gets those that are files, `onTold` a line of what is none.
export function Drop({ accept, choose, onFiles, onTold, children }) {
  const [over, setOver] = useState(false);
  const field = useRef(null); // hidden: what a browser writes on its own is in its language, not in the page's
  const dropped = (event) => {
    event.preventDefault();
    setOver(false);
    const items = [...event.dataTransfer.items].filter((item) => item.kind === "file");
    const folders = items.map((item) => item.webkitGetAsEntry()).filter((entry) => entry?.isDirectory).map((entry) => entry.name);
    const files = [...event.dataTransfer.files].filter((file) => !folders.includes(file.name));
    onFiles(files);
    for (const name of folders) onTold(`${name}: ${t("no_folder")}`);
    if (!items.length) onTold(t("no_file"));
  };
  const chosen = (event) => {
    onFiles([...event.target.files]);
    event.target.value = ""; // the same file may be chosen again
  };
  const open = (event) => event.target !== field.current && field.current.click();
  return html`
    <div class=${over ? "drop over" : "drop"} onClick=${open} onDragOver=${(event) => (event.preventDefault(), setOver(true))} onDragLeave=${() => setOver(false)} onDrop=${dropped}>
      ${children}
      <button type="button" class="quiet">${choose}</button>
      <input ref=${field} type="file" hidden multiple accept=${accept} onChange=${chosen} />
    </div>
  `;
}

// While the page is shown, a file that misses the fields is not opened in its place.
export function useNothingBeside() {
  useEffect(() => {
    const refuse = (event) => {
      if (event.defaultPrevented || !event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "none";
    };
    const kinds = ["dragover", "drop"];
    for (const kind of kinds) addEventListener(kind, refuse);
    return () => kinds.forEach((kind) => removeEventListener(kind, refuse));
  }, []);
}
