// Workers, which answer as the server of `dlgo web` does, and the parts of an export that they ask for.

/** Parts of an export: elements of this page, or scripts, which call `dlgoPart`. */
const parts = new Map(), arriving = new Map();  // by address: promises, and what keeps them
const own = document.querySelector("script[src*='worker.js']")?.src ?? "";  // "" in a single file
const version = own && new URL(own).search;
globalThis.dlgoPart = (place, content, its) => arriving.get(place)?.(its === version ? content : null);

/** The content of a part, or a promise of it, for any number of workers; null if it cannot be read. */
function readPart(place) {
  const inside = document.querySelector(`script[data-part="${place}"]`);
  if (inside) return inside.textContent;
  if (!parts.has(place)) {
    parts.set(place, new Promise((resolve) => {
      arriving.set(place, resolve);
      const script = document.createElement("script");
      script.src = `${place}.js${version}`;
      script.onerror = () => resolve(null);
      script.onload = () => script.remove();
      document.head.append(script);
    }));
  }
  return parts.get(place);
}

/** A new worker. From a disk a page may not load one, so its text is that of the function `dlgoWorker`. */
function startWorker(script) {
  if (script && location.protocol !== "file:") return new Worker(script);
  const address = URL.createObjectURL(new Blob([`(${globalThis.dlgoWorker})()`], { type: "text/javascript" }));
  return new Worker(address);
}

let last = 0;

/** A worker of its own, with parts at `home`: { ask(path, body, data), stream(path, body, signal, onEvent), hold(held), close() }. */
export function openWorker(home = "data/", script = own) {
  const worker = startWorker(script), open = new Map();
  worker.onmessage = async ({ data: { id, part, ...news } }) => {
    if (part) worker.postMessage({ part, content: await readPart(home + part) });
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
    hold(held) { worker.postMessage({ held }); },
    close() { worker.terminate(); },
  };
}
