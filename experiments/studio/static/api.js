// What the pages ask for, and streams of events. transport.js says whom they ask.

import { answer, stream } from "./transport.js";

/** The answer at `path`; a body is sent as JSON. Raises Error in the server's words. */
export async function ask(path, body) {
  return (await answer(path, body)).json();
}

/** Send a file unchanged. */
export async function send(path, data) {
  return (await answer(path, data)).json();
}

/** Save the answer at `path`, to `data` if there is any, as a file. */
export async function download(path, data) {
  const reply = await answer(path, data);
  return saveBlob(await reply.blob(), reply.name ?? "game.txt");
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
