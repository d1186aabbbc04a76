#!/usr/bin/env node
// Connects a WebAssembly engine of an npm package to standard input and output.
// Usage: node peer.js PACKAGE    (a dependency named in package.json)
"use strict";

const readline = require("readline");
const { dependencies } = require("./package.json");

const name = process.argv[2];
if (!Object.hasOwn(dependencies, name ?? "")) {
  console.error(`usage: node peer.js ${Object.keys(dependencies).join(" | ")}`);
  process.exit(2);
}

// The loaders prefer fetch, which does not read files in Node; without it they read files.
delete globalThis.fetch;

const input = readline.createInterface({ input: process.stdin });
const early = [];
let deliver = (line) => early.push(line);

input.on("line", (line) => deliver(line));
// The input may end before the module is loaded, so the end is queued too.
input.on("close", () => deliver("quit"));

require(`${name}/stockfish.js`)().then((engine) => {
  engine.addMessageListener((line) => process.stdout.write(`${line}\n`));
  deliver = (line) => {
    engine.postMessage(line);
    // The threads of the module do not end at quit. The delay is for its remaining output.
    if (line.trim() === "quit") setTimeout(() => process.exit(0), 200);
  };
  early.forEach(deliver);
});
