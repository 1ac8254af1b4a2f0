// Speak with this computer's microphone into the meeting's room. LiveKit's client is loaded for it, and only then.

import { call } from "./api.js";
import { keptMicrophone, Microphone } from "./microphone.js";
import { html, useEffect, useRef, useState } from "./vendor/preact-htm.js";
import { t } from "./words.js";

export function Joining({ id, keptDays, onInterim, onRoom }) {
  const [state, setState] = useState("out");
  const [error, setError] = useState("");
  const [muted, setMuted] = useState(false);
  const room = useRef(null);
  useEffect(() => () => room.current?.disconnect(), []);
  const join = async (event) => {
    event.preventDefault();
    const name = event.target.elements.name.value.trim();
    localStorage.setItem("moim.name", name);
    setState("joining");
    setError("");
    try {
      const [livekit, way] = await Promise.all([loaded(), call("POST", `/meetings/${encodeURIComponent(id)}/join`, { name })]);
      const left = () => {
        setState("out");
        onRoom(null);
        onInterim({}); // the room will not say how these words went on
      };
      room.current = await entered(livekit, way, onInterim, left, onRoom);
      await room.current.localParticipant.setMicrophoneEnabled(true);
      setMuted(false);
      setState("in");
    } catch (problem) {
      room.current?.disconnect();
      onRoom(null);
      setError(why(problem));
      setState("out");
    }
  };
  const mute = async () => {
    await room.current.localParticipant.setMicrophoneEnabled(muted);
    setMuted(!muted);
  };
  const notice = `${t("listens")} ${keptDays ? t("kept").replace("{n}", keptDays) : t("kept_on")}`;
  // Said by the participant themselves, as in any other client's chat.
  const say = (order) => () => room.current.localParticipant.sendText(order, { topic: "lk.chat", attributes: { "moim.via": "page" } });
  if (state === "in") {
    return html`
      <div class="joining">
        <span class="dot" data-on=${!muted}></span> ${t("speaking_as")} <b>${localStorage.getItem("moim.name")}</b>
        <${Microphone} livekit=${globalThis.LivekitClient} room=${room.current} muted=${muted} />
        <button class="chip" onClick=${mute}>${muted ? t("unmute") : t("muted")}</button>
        <button class="chip" onClick=${() => room.current.disconnect()}>${t("leave")}</button>
      </div>
      <p class="joining faint">
        ${notice}
        <button class="chip" onClick=${say("/me yes")}>${t("agree")}</button>
        <button class="chip" onClick=${say("/me no")}>${t("disagree")}</button>
        <button class="chip" onClick=${say("/me no erase")}>${t("erase_mine")}</button>
      </p>
    `;
  }
  return html`
    <form class="joining" onSubmit=${join}>
      <label>${t("name")} <input name="name" required maxlength="80" defaultValue=${localStorage.getItem("moim.name") ?? ""} /></label>
      <button class="main" disabled=${state === "joining"}>${state === "joining" ? t("joining") : t("join")}</button>
      <span class="faint">${notice}</span>
      ${error && html`<span class="error" role="alert">${error}</span>`}
    </form>
  `;
}

function why(problem) {
  if (problem.name === "NotAllowedError") return t("microphone_refused");
  if (["NotFoundError", "NotReadableError", "OverconstrainedError"].includes(problem.name)) return t("microphone_missing");
  if (problem.status === 400 && problem.field === "name") return t("agents_name");
  if (problem.status === 401) return t("signed_out");
  return problem.message;
}

let loading;

function loaded() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "/static/vendor/livekit-client.js";
    script.onload = () => resolve(globalThis.LivekitClient);
    script.onerror = () => reject(new Error(t("wrong")));
    document.head.append(script);
  });
  return loading;
}

async function entered(livekit, { url, token }, onInterim, onOut, onRoom) {
  const room = new livekit.Room({ dynacast: true, audioCaptureDefaults: { deviceId: keptMicrophone() } });
  room.on(livekit.RoomEvent.TrackSubscribed, (track) => track.kind === "audio" && document.body.append(track.attach()));
  room.on(livekit.RoomEvent.TrackUnsubscribed, (track) => track.detach().forEach((element) => element.remove()));
  room.on(livekit.RoomEvent.Disconnected, onOut);
  // Finals come by the page's own stream, from the record; from the room come the words under way.
  room.registerTextStreamHandler("lk.transcription", async (reader, sender) => {
    const final = reader.info.attributes?.["lk.transcription_final"] === "true";
    const firm = Number(reader.info.attributes?.["moim.firm"] ?? 0);
    const text = (await reader.readAll()).trim(); // no words: they are taken back
    onInterim((known) => {
      const { [sender.identity]: _, ...others } = known;
      return final ? others : { ...others, [sender.identity]: { text, firm } };
    });
  });
  onRoom(room); // before it is entered, so that no first word in its chat is missed
  await room.connect(url, token);
  return room;
}
