// Where the pages ask in a tab: a worker (worker/entry.js), which answers as the server of `dlgo web` does.

/** Nothing to do: only a server has tokens. */
export function takeToken() {}

/** Parts of the export: elements of this page, or scripts beside it, which call `dlgoPart`. */
const parts = new Map(), arriving = new Map();  // by name: promises, and what keeps them
const own = document.querySelector("script[src*='worker.js']")?.src ?? "";  // "" in a single file
const { search: version } = new URL(own, location);
globalThis.dlgoPart = (name, content, its) => arriving.get(name)?.(its === version ? content : null);

/** The content of a part, for any number of workers; null if it cannot be read. */
function readPart(name) {
  if (!parts.has(name)) parts.set(name, fetchPart(name));
  return parts.get(name);
}

function fetchPart(name) {
  const inside = document.querySelector(`script[data-part="${name}"]`);
  if (inside) return Promise.resolve(inside.textContent);
  return new Promise((resolve) => {
    arriving.set(name, resolve);
    const script = document.createElement("script");
    script.src = `data/${name}.js${version}`;
    script.onerror = () => resolve(null);
    script.onload = () => script.remove();
    document.head.append(script);
  });
}

/** A new worker. From a disk a page may not load one, so its text is that of the function `dlgoWorker`. */
function startWorker() {
  if (own && location.protocol !== "file:") return new Worker(own);
  const address = URL.createObjectURL(new Blob([`(${globalThis.dlgoWorker})()`], { type: "text/javascript" }));
  return new Worker(address);
}

let last = 0;

/** A worker of its own: { ask(path, body, data), stream(path, body, signal, onEvent), close() }. */
export function openWorker() {
  const worker = startWorker(), open = new Map();
  worker.onmessage = async ({ data: { id, part, ...news } }) => {
    if (part) worker.postMessage({ part, content: await readPart(part) });
    else open.get(id)?.(news);
  };
  worker.onerror = (event) => open.forEach((tell) => tell({ error: event.message ?? "the worker could not start" }));
  const failure = ({ error, status }) => Object.assign(new Error(error), { status });
  return {
    ask: (path, body, data) => new Promise((resolve, reject) => {
      const id = ++last;
      open.set(id, (news) => { open.delete(id); if (news.error) reject(failure(news)); else resolve(news.value); });
      worker.postMessage({ id, path, body, data });
    }),
    stream: (path, body, signal, onEvent) => new Promise((resolve, reject) => {
      const id = ++last, done = (end, value) => { open.delete(id); end(value); };
      open.set(id, (news) => {
        if (news.error) done(reject, failure(news));
        else if (news.end) done(resolve);
        else onEvent(news.event);
      });
      signal.addEventListener("abort", () => { worker.postMessage({ id, abort: true }); done(resolve); });
      if (!signal.aborted) worker.postMessage({ id, path, body, stream: true });
    }),
    close() { worker.terminate(); },
  };
}

let server = null;
const theServer = () => (server ??= openWorker());

/** The answer to a request: { json(), blob(), name }. A body is a value, or a file. */
export async function answer(path, body) {
  const isFile = body instanceof ArrayBuffer || body instanceof Blob;
  const value = isFile ? await theServer().ask(path, undefined, new Uint8Array(body instanceof Blob ? await body.arrayBuffer() : body))
    : await theServer().ask(path, body);
  return { json: () => value, blob: () => value, name: value?.name };
}

export const stream = (path, body, signal, onEvent) => theServer().stream(path, body, signal, onEvent);
