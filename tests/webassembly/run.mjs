// node run.mjs FOLDER: makes the calls that node.py wrote there; writes their results, and the memory after them.

import fs from "fs";
import { pathToFileURL } from "url";

const read = (name) => fs.readFileSync(`${process.argv[2]}/${name}`);
const write = (name, content) => fs.writeFileSync(`${process.argv[2]}/${name}`, content);
const [runtime, description, names] = JSON.parse(read("request.json"));
const { load } = await import(pathToFileURL(runtime));
const image = new Uint8Array(read("image.bin"));
const program = await load(read("module.wasm"), image, description);
const results = names.map(([name, replacements]) => {
  try {
    return program.call(name, replacements);
  } catch (error) {
    return String(error);
  }
});
write("results.json", JSON.stringify(results, (_, value) => (typeof value === "bigint" ? Number(value) : value)));
write("after.bin", new Uint8Array(program.memory.buffer, description.base, description.size));
