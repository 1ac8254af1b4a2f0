// The microphone that somebody speaks into: how loud it is, and which one it is.

import { html, useEffect, useState } from "./vendor/preact-htm.js";
import { t } from "./words.js";

const KEPT = "moim.microphone";
const LOOK_EVERY_MS = 100;
const LOUDEST = 0.6;
// A microphone that works is never wholly silent: one without any sound for so long is another one's plug.
const DEAD_AFTER_MS = 5000;

export const keptMicrophone = () => localStorage.getItem(KEPT) ?? undefined;

export function Microphone({ livekit, room, muted }) {
  const [devices, setDevices] = useState([]);
  const [chosen, setChosen] = useState(room.getActiveDevice("audioinput"));
  const [error, setError] = useState("");
  useEffect(() => {
    const look = async () => setDevices((await navigator.mediaDevices.enumerateDevices()).filter((each) => each.kind === "audioinput"));
    look();
    navigator.mediaDevices.addEventListener("devicechange", look);
    return () => navigator.mediaDevices.removeEventListener("devicechange", look);
  }, []);
  const choose = async (event) => {
    const id = event.target.value;
    try {
      await room.switchActiveDevice("audioinput", id);
      localStorage.setItem(KEPT, id);
      setError("");
    } catch {
      setError(t("microphone_missing"));
    }
    setChosen(room.getActiveDevice("audioinput"));
  };
  const track = room.localParticipant.getTrackPublication(livekit.Track.Source.Microphone)?.track;
  return html`
    ${track && html`<${Level} key=${track.mediaStreamTrack.id} livekit=${livekit} track=${track} muted=${muted} />`}
    <select aria-label=${t("microphone")} value=${chosen} onChange=${choose}>
      ${devices.map((each, at) => html`<option key=${each.deviceId} value=${each.deviceId}>${each.label || `${t("microphone")} ${at + 1}`}</option>`)}
    </select>
    ${error && html`<span class="error" role="alert">${error}</span>`}
  `;
}

function Level({ livekit, track, muted }) {
  const [level, setLevel] = useState(0);
  const [silentMs, setSilentMs] = useState(0);
  useEffect(() => {
    const { calculateVolume, cleanup } = livekit.createAudioAnalyser(track);
    const look = setInterval(() => {
      const volume = calculateVolume();
      setLevel(volume);
      setSilentMs((known) => (volume > 0 ? 0 : known + LOOK_EVERY_MS));
    }, LOOK_EVERY_MS);
    return () => {
      clearInterval(look);
      cleanup();
    };
  }, [track]);
  return html`
    <meter class="level" min="0" max=${LOUDEST} value=${muted ? 0 : level} aria-label=${t("level_of_voice")}></meter>
    ${!muted && silentMs >= DEAD_AFTER_MS && html`<span class="error" role="status">${t("no_sound")}</span>`}
  `;
}
