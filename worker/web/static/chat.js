// The room's chat, for whoever has joined by this page: what is written from then on. Nothing of it is kept.

import { html, useEffect, useRef, useState } from "./vendor/preact-htm.js";
import { t } from "./words.js";

const TOPIC = "lk.chat";

// The chat of a room that was entered: its `messages`, and `write`; null while this browser is in none.
export function useChat(room) {
  const [messages, setMessages] = useState([]);
  useEffect(() => {
    setMessages([]);
    if (!room) return undefined;
    // A message may grow, as an answer of the agent's does.
    const put = (message) => setMessages((known) => [...known.filter((each) => each.id !== message.id), message]);
    room.registerTextStreamHandler(TOPIC, async (reader, { identity }) => {
      const from = room.remoteParticipants.get(identity)?.name || identity;
      let text = "";
      for await (const piece of reader) put({ id: reader.info.id, identity, from, text: (text += piece) });
    });
    return () => room.unregisterTextStreamHandler(TOPIC);
  }, [room]);
  if (!room) return null;
  const write = async (text) => {
    const { id } = await room.localParticipant.sendText(text, { topic: TOPIC });
    const { identity, name } = room.localParticipant;
    setMessages((known) => [...known, { id, identity, from: name, text }]);
  };
  return { messages, write };
}

// What was written, the newest at the end, and a line to write to everybody in the room. `names`, by identity, tell
// two people of one name apart; the agent, and who has come this moment, are not among them.
export function Chat({ chat, names }) {
  const [error, setError] = useState("");
  const box = useRef(null);
  useEffect(() => void (box.current.scrollTop = box.current.scrollHeight), [chat.messages]);
  const submit = async (event) => {
    event.preventDefault();
    const field = event.target.elements.message;
    const text = field.value.trim();
    if (!text) return;
    try {
      await chat.write(text);
      field.value = "";
      setError("");
    } catch {
      setError(t("wrong"));
    }
  };
  return html`
    <section class="chat" aria-label=${t("chat")}>
      <div class="messages" role="log" tabindex="0" aria-label=${t("chat")} ref=${box}>
        ${chat.messages.length === 0 && html`<p class="faint">${t("no_messages")}</p>`}
        ${chat.messages.map((each) => html`<p key=${each.id}><b>${names.get(each.identity) ?? each.from}</b> ${each.text}</p>`)}
      </div>
      <form onSubmit=${submit}>
        <input name="message" maxlength="2000" autocomplete="off" placeholder=${t("write_to_all")} aria-label=${t("write_to_all")} />
        <button class="quiet">${t("send")}</button>
      </form>
      ${error && html`<p class="error" role="alert">${error}</p>`}
    </section>
  `;
}
