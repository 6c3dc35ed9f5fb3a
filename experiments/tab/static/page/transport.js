// Where the pages ask in a tab: a worker (worker/entry.js), which answers as the server of `dlgo web` does.

import { openWorker } from "./workers.js";

/** Nothing to do: only a server has tokens. */
export function takeToken() {}

let server = null;
const theServer = () => (server ??= openWorker());

/** The answer to a request: { json(), blob(), name }. A body is a value, or a file. */
export async function answer(path, body) {
  const isFile = body instanceof ArrayBuffer || body instanceof Blob;
  const value = isFile ? await theServer().ask(path, undefined, new Uint8Array(body instanceof Blob ? await body.arrayBuffer() : body))
    : await theServer().ask(path, body);
  return { json: () => value, blob: () => value, name: value?.name };
}

export const searchInPage = (_, path, signal, onEvent) => stream(path, undefined, signal, onEvent);
export const stream = (path, body, signal, onEvent) => theServer().stream(path, body, signal, onEvent);
