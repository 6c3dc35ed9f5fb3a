// Requests to the server, and streams of events from it.

const TOKEN = "dlgo-token";
const SILENT = "the server does not answer; check that `dlgo web` is still running";

/** Take the token out of the address, where `dlgo web` has put it. */
export function takeToken() {
  const match = /^#token=([\w.~-]+)$/.exec(location.hash);
  if (!match) return;
  sessionStorage.setItem(TOKEN, match[1]);
  history.replaceState(null, "", "#/play");
}

const post = (body, type) => ({ method: "POST", body, headers: { "content-type": type } });

async function answer(path, { headers = {}, ...options } = {}) {
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.authorization = `Bearer ${token}`;
  const reply = await fetch(path, { ...options, headers }).catch(() => { throw new Error(SILENT); });
  if (!reply.ok) {
    const text = await reply.text();
    let message = `the server answers ${reply.status}`;
    try { message = JSON.parse(text).error; } catch { /* not from our server */ }
    throw Object.assign(new Error(message), { status: reply.status });
  }
  return reply;
}

/** The server's answer at `path`; a body is sent as JSON. Raises Error in its words. */
export async function ask(path, body) {
  return (await answer(path, body === undefined ? {} : post(JSON.stringify(body), "application/json"))).json();
}

/** Send a file unchanged. */
export async function send(path, data) {
  return (await answer(path, post(data, "application/octet-stream"))).json();
}

/** Save the server's answer at `path`, to `data` if there is any, as a file. */
export async function download(path, data) {
  const reply = await answer(path, data && post(data, "application/octet-stream"));
  const name = /filename="([^"]+)"/.exec(reply.headers.get("content-disposition") ?? "")?.[1];
  return saveBlob(await reply.blob(), name ?? "game.txt");
}

/** Save what the page has made as a file; its name. */
export function saveBlob(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  return link.download;
}

/**
 * The events of a request, until it is answered or aborted. Rejects with Error, in the server's words if it has any.
 *
 * They come over a WebSocket: a browser opens six connections to a server for requests, for all its tabs.
 */
export function stream(path, body, signal, onEvent) {
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

/** Listen to events until the returned function is called. A broken connection is made again, with longer and longer pauses. */
export function listen(path, onEvent, onTrouble) {
  const control = new AbortController();
  (async () => {
    let pause = 500;
    while (!control.signal.aborted) {
      try {
        await stream(path, undefined, control.signal, (event) => { pause = 500; onEvent(event); });
      } catch (error) {
        onTrouble(error);
        if (error.status === 404 || error.status === 403) return;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
      pause = Math.min(2 * pause, 10_000);
    }
  })();
  return () => control.abort();
}

/** Listen to a view: events have its changes, `onView` gets the whole view, once for changes that come together. */
export function follow(path, onView, onTrouble) {
  let view = {}, due = null;
  const end = listen(path, ({ error, set, tail }) => {
    if (error) { onTrouble(new Error(error)); return; }
    view = { ...view, ...set };
    for (const [key, [kept, items]] of Object.entries(tail)) view[key] = [...view[key].slice(0, kept), ...items];
    due ??= setTimeout(() => { due = null; onView(view); });
  }, onTrouble);
  return () => { clearTimeout(due); end(); };
}
