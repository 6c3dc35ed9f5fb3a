// Programs of an export: modules, and memory that begins as in Python.

import { load } from "./runtime.js";

/** Bytes of a text in base64. */
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** A part as experiments/tab/site.py packs it: JSON, a line feed and bytes, compressed, in base64. */
export async function unpack(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const content = new Uint8Array(await new Response(stream).arrayBuffer()), end = content.indexOf(10), bytes = content.subarray(end + 1);
  return JSON.parse(new TextDecoder().decode(content.subarray(0, end)), (_, value) => (
    Array.isArray(value?.bytes) ? bytes.slice(value.bytes[0], value.bytes[0] + value.bytes[1]) : value));
}

/** Bytes in their order, which were written as the first of every four, then the second, ... */
const fromPlanes = (planes) => Uint8Array.from(planes, (_, i) => planes[(i % 4) * (planes.length / 4) + (i >> 2)]);

export const loadProgram = ({ code, image, description }) => load(code, fromPlanes(image), description);
