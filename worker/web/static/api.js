// Calls of Moim's own API. Errors carry the server's `mend`, which is written for people.

import { t } from "./words.js";

export class Failed extends Error {
  constructor(status, mend, field, value) {
    super(mend);
    this.status = status;
    this.field = field;
    this.value = value;
  }
}

export async function call(method, path, body) {
  const file = body instanceof Blob;
  const response = await fetch(`/v1${path}`, {
    method,
    headers: body === undefined ? {} : { "Content-Type": file ? "application/octet-stream" : "application/json" },
    body: body === undefined || file ? body : JSON.stringify(body),
  }).catch(() => { throw new Failed(0, t("connection_lost_once")); }); // the browser says it in English alone
  if (!response.ok) throw await failure(response);
  return response.headers.get("Content-Type")?.includes("json") ? response.json() : response.text();
}

// Send a file; `onSent` hears how many of its bytes are away, which `fetch` tells nobody.
export function send(path, file, onSent) {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/v1${path}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => onSent(event.loaded);
    request.onerror = () => fail(new Failed(0, t("connection_lost_once")));
    request.onload = () => {
      const response = new Response(request.responseText, { status: request.status });
      response.ok ? done(response.json()) : failure(response).then(fail);
    };
    request.send(file);
  });
}

// Ends the session, and with it who this browser is in each meeting.
export async function signOut() {
  await call("DELETE", "/session").catch(() => {}); // it may have ended by itself
  location.assign("/");
}

// Ask; `onGrowth` gets the answer as it grows, the reply itself is the result.
// `how`: `private`, or the part of the meeting that is asked about.
export async function ask(meetingId, question, how, onGrowth) {
  const response = await fetch(`/v1/meetings/${encodeURIComponent(meetingId)}/ask`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ text: question, stream: true, ...how }),
  });
  if (!response.ok) throw await failure(response);
  let text = "";
  for await (const event of events(response.body)) {
    if (event.error) throw new Failed(503, event.error.mend);
    if (event.reply) return event.reply;
    const piece = event.choices?.[0]?.delta?.content;
    if (piece) onGrowth((text += piece));
  }
  throw new Failed(503, "no answer came about");
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const data = part.split("\n").find((line) => line.startsWith("data: "));
      if (data) yield JSON.parse(data.slice(6));
    }
  }
}

async function failure(response) {
  try {
    const { mend, field, value } = (await response.json()).error;
    return new Failed(response.status, mend, field, value);
  } catch {
    return new Failed(response.status, response.statusText);
  }
}
