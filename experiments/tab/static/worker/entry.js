// Messages between a page and its worker. From the page: { id, path, body, data }, a request; with `stream`, one for events;
// { id, abort }; { held }, whether work waits; { part, content }, a part of the export. To the page:
// { id, value | event | end | error, status }; { part }, the name of a part that is needed.

import { hold } from "./pause.js";
import { unpack } from "./programs.js";
import { Tab, wordsOf } from "./main.js";

const parts = new Map(), waiting = new Map(), streams = new Map();

function part(name) {
  if (!parts.has(name)) {
    parts.set(name, new Promise((resolve, reject) => { waiting.set(name, { resolve, reject }); }).then(unpack));
    postMessage({ part: name });
  }
  return parts.get(name);
}

const tab = new Tab(part).begin();

async function follow(id, path, body) {
  const control = new AbortController(), { signal } = control;
  streams.set(id, control);
  const ready = await tab;
  for await (const event of signal.aborted ? [] : ready.events(path, body, signal)) {
    if (signal.aborted) return;
    postMessage({ id, event });
  }
  streams.delete(id);
}

onmessage = async ({ data: { id, path, body, data, stream, abort, held, part: name, content } }) => {
  if (held !== undefined) { hold(held); return; }
  if (name) { if (content === null) waiting.get(name).reject(new Error(`${name} could not be loaded: load this page again, it may be older than its files`)); else waiting.get(name).resolve(content); return; }
  if (abort) { streams.get(id)?.abort(); streams.delete(id); return; }
  try {
    if (stream) { await follow(id, path, body); postMessage({ id, end: true }); } else postMessage({ id, value: await (await tab).answer(path, body, data) });
  } catch (error) {
    postMessage({ id, ...wordsOf(error) });
  }
};
