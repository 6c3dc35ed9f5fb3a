// Requests to the server of `dlgo web`, and streams of events: from it, or from a worker of this page.

import { openWorker } from "./workers.js";

const TOKEN = "dlgo-token";
const SILENT = "the server does not answer; check that `dlgo web` is still running";

/** Take the token out of the address, where `dlgo web` has put it. */
export function takeToken() {
  const match = /^#token=([\w.~-]+)$/.exec(location.hash);
  if (!match) return;
  sessionStorage.setItem(TOKEN, match[1]);
  history.replaceState(null, "", "#/play");
}

/** The answer to a request: { json(), blob(), name of a file }. A body is a value, or a file. */
export async function answer(path, body) {
  const headers = {}, token = sessionStorage.getItem(TOKEN), options = { headers };
  if (token) headers.authorization = `Bearer ${token}`;
  if (body !== undefined) {
    const isFile = body instanceof ArrayBuffer || body instanceof Blob;
    headers["content-type"] = isFile ? "application/octet-stream" : "application/json";
    Object.assign(options, { method: "POST", body: isFile ? body : JSON.stringify(body) });
  }
  const reply = await fetch(path, options).catch(() => { throw Object.assign(new Error(SILENT), { status: 0 }); });
  if (!reply.ok) {
    const text = await reply.text();
    let message = `the server answers ${reply.status}`;
    try { message = JSON.parse(text).error; } catch { /* not from our server */ }
    throw Object.assign(new Error(message), { status: reply.status });
  }
  const name = /filename="([^"]+)"/.exec(reply.headers.get("content-disposition") ?? "")?.[1];
  return { json: () => reply.json(), blob: () => reply.blob(), name };
}

const workers = new Map();  // by the address of their parts; each rests until its next search
document.addEventListener("visibilitychange", () => workers.forEach((worker) => worker.hold(document.hidden)));

/** The events of a search in a worker of this page, until it is aborted. Rejects with Error if the page cannot search. */
export async function searchInPage({ home, game, moves }, path, signal, onEvent) {
  if (!workers.has(home)) {
    workers.set(home, openWorker(home, `${home}worker.js`));
    workers.get(home).hold(document.hidden);
  }
  const worker = workers.get(home), { id } = await worker.ask("/api/positions", { game, moves }).catch((error) => {
    worker.close();
    workers.delete(home);
    throw error;
  });
  const there = path.replace(/games\/[^/]+/, `games/${id}`).replace(/&?node=\d+/, "");
  if (!signal.aborted) await worker.stream(there, undefined, signal, onEvent);
}

/** The events of a request, until it is answered or aborted. Rejects with Error, in the server's words if it has any. */
export async function stream(path, body, signal, onEvent) {
  if (/\/(analysis|exact)\?/.test(path)) {
    try {
      const place = await (await answer(path.replace(/\w+\?/, "place?"))).json();
      if (place.home && !signal.aborted) return await searchInPage(place, path, signal, onEvent);
    } catch (error) {
      console.warn(`The server searches, because this page cannot: ${error.message}`);
    }
  }
  return signal.aborted ? undefined : streamFromServer(path, body, signal, onEvent);
}

/** The same from the server, over a WebSocket: a browser opens six connections to a server for requests, for all its tabs. */
function streamFromServer(path, body, signal, onEvent) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(location.origin.replace(/^http/, "ws") + path);
    let begun = false;
    const leave = () => { if (socket.readyState) socket.close(); };  // while it connects, the console would complain
    signal.addEventListener("abort", () => { leave(); resolve(); });
    socket.onopen = () => (signal.aborted ? leave() : socket.send(JSON.stringify({ body, token: sessionStorage.getItem(TOKEN) })));
    socket.onmessage = ({ data }) => {
      if (signal.aborted) return;
      const event = JSON.parse(data);
      if (begun) onEvent(event);
      else if (event.error) reject(Object.assign(new Error(event.error), { status: event.status }));
      begun = true;
    };
    socket.onclose = ({ code }) => { if (code === 1000) resolve(); else reject(new Error(SILENT)); };
  });
}
