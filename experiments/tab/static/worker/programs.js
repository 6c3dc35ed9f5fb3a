// Programs of an export: modules, and memory that begins as in Python.

import { load } from "./runtime.js";

/** Bytes of a text in base64. */
export const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

export const loadProgram = ({ code, image, description }) => load(bytesOf(code), bytesOf(image), description);
