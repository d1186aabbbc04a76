#!/usr/bin/env node
// Lets an engine that npm ships as WebAssembly speak UCI on standard input and output.
// Usage: node peer.js PACKAGE    (a dependency named in package.json)
"use strict";

const readline = require("readline");
const { dependencies } = require("./package.json");

const name = process.argv[2];
if (!Object.hasOwn(dependencies, name ?? "")) {
  console.error(`usage: node peer.js ${Object.keys(dependencies).join(" | ")}`);
  process.exit(2);
}

// The loaders prefer fetch, which in Node knows no file paths; without it they read files.
delete globalThis.fetch;

const input = readline.createInterface({ input: process.stdin });
const early = [];
let deliver = (line) => early.push(line);

input.on("line", (line) => deliver(line));
// The end of the input may come before the module is loaded: it waits its turn.
input.on("close", () => deliver("quit"));

require(`${name}/stockfish.js`)().then((engine) => {
  engine.addMessageListener((line) => process.stdout.write(`${line}\n`));
  deliver = (line) => {
    engine.postMessage(line);
    // The module has threads of its own that outlive its quit.
    // What it has still to say before gets the time to be said.
    if (line.trim() === "quit") setTimeout(() => process.exit(0), 200);
  };
  early.forEach(deliver);
});
