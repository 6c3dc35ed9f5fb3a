// Programs of an export: modules, and memory that begins as in Python.

import { Refusal } from "./refusal.js";
import { load } from "./runtime.js";

/** Bytes of a text in base64. */
function bytesOf(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** A part as experiments/tab/site.py packs it: JSON, a line feed and bytes, compressed, in base64. */
export async function unpack(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const content = new Uint8Array(await new Response(stream).arrayBuffer()), end = content.indexOf(10), bytes = content.subarray(end + 1);
  return JSON.parse(new TextDecoder().decode(content.subarray(0, end)), (_, value) => (
    Array.isArray(value?.bytes) ? bytes.slice(value.bytes[0], value.bytes[0] + value.bytes[1]) : value));
}

/** Bytes in their order, which were written as the first of every four, then the second, ... */
function fromPlanes(planes) {
  const bytes = new Uint8Array(planes.length), plane = planes.length / 4;
  for (let i = 0; i < bytes.length; i++) bytes[i] = planes[(i & 3) * plane + (i >> 2)];
  return bytes;
}

export const loadProgram = ({ code, image, description }) => load(code, fromPlanes(image), description).catch((error) => {
  if (!(error instanceof WebAssembly.CompileError)) throw error;
  throw new Refusal(/Security/.test(error.message) ? "the host of this page forbids WebAssembly: let it send worker.js with "
    + "\"script-src 'self' 'wasm-unsafe-eval'\" in its content policy" : "this browser is too old for vectors in WebAssembly; update it");
});
