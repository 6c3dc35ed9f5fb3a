// Requests to the server, and streams of events from it.

const TOKEN = "dlgo-token";

/** Take the token out of the address, where `dlgo web` has put it. */
export function takeToken() {
  const match = /^#token=([\w.~-]+)$/.exec(location.hash);
  if (!match) return;
  sessionStorage.setItem(TOKEN, match[1]);
  history.replaceState(null, "", "#/play");
}

const post = (body, type) => ({ method: "POST", body, headers: { "content-type": type } });
const postJson = (body) => post(JSON.stringify(body), "application/json");

async function answer(path, { headers = {}, ...options } = {}) {
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.authorization = `Bearer ${token}`;
  let reply;
  try {
    reply = await fetch(path, { ...options, headers });
  } catch {
    throw new Error("the server does not answer; check that `dlgo web` is still running");
  }
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
  return (await answer(path, body === undefined ? {} : postJson(body))).json();
}

/** Send a file unchanged. */
export async function send(path, data) {
  return (await answer(path, post(data, "application/octet-stream"))).json();
}

/** Save the server's answer at `path` as a file. */
export async function download(path) {
  const reply = await answer(path);
  const name = /filename="([^"]+)"/.exec(reply.headers.get("content-disposition") ?? "")?.[1];
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await reply.blob());
  link.download = name ?? "game.txt";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  return link.download;
}

/** The events of a reply ("server-sent events"): lists of those that have come at once, unread. */
async function* batches(reply) {
  const reader = reply.body.getReader(), decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = events.pop();
    yield events.filter((event) => event.startsWith("data: ")).map((event) => event.slice(6));
  }
}

/** The events that a request is answered with, one after the other. */
export async function* stream(path, body, signal) {
  const reply = await answer(path, { ...postJson(body), signal });
  for await (const batch of batches(reply)) yield* batch.map((event) => JSON.parse(event));
}

/**
 * Listen to events until the returned function is called; those that come at once are given as a list.
 *
 * What is read here is "server-sent events"; fetch, unlike EventSource, can send the token. Where
 * the connection breaks, it is made again, with longer and longer pauses.
 */
export function listen(path, onEvents, onTrouble) {
  const control = new AbortController();
  (async () => {
    let pause = 500;
    while (!control.signal.aborted) {
      try {
        const reply = await answer(path, { signal: control.signal });
        for await (const batch of batches(reply)) {
          pause = 500;
          if (batch.length) onEvents(batch.map((event) => JSON.parse(event)));
        }
      } catch (error) {
        if (control.signal.aborted) return;
        onTrouble(error);
        if (error.status === 404 || error.status === 403) return;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
      pause = Math.min(2 * pause, 10_000);
    }
  })();
  return () => control.abort();
}

/** Listen to a view: events have its changes, `onView` gets the whole view. */
export function follow(path, onView, onTrouble) {
  let view = {};
  return listen(path, (events) => {
    for (const { error, set, tail } of events) {
      if (error) { onTrouble(new Error(error)); return; }
      view = { ...view, ...set };
      for (const [key, [kept, items]] of Object.entries(tail)) view[key] = [...view[key].slice(0, kept), ...items];
    }
    onView(view);
  }, onTrouble);
}
