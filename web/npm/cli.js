#!/usr/bin/env node
// The engine in a terminal: UCI on standard input and output. Arguments are UCI lines, after which
// the program ends.
import { createInterface } from "node:readline";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { compile } from "./module.js";
import { UciEngine } from "./uci.js";

if (isMainThread) {
    // A deep search needs more stack than the main thread has.
    const worker = new Worker(new URL(import.meta.url), {
        workerData: await compile(),
        resourceLimits: { stackSizeMb: 16 },
        stdout: false,
    });
    worker.on("message", (line) => process.stdout.write(`${line}\n`));
    worker.on("error", (error) => {
        console.error(error);
        process.exit(1);
    });
    worker.on("exit", () => process.exit(process.exitCode ?? 0));
    const lines = process.argv.slice(2);
    if (lines.length > 0) {
        // A `quit` during a search would stop it.
        const end = lines.findIndex((line) => line.trim() === "quit");
        worker.postMessage((end < 0 ? lines : lines.slice(0, end)).join("\n"));
        worker.postMessage(null);
    } else {
        const input = createInterface({ input: process.stdin });
        input.on("line", (line) => worker.postMessage(line));
        input.on("close", () => worker.postMessage(null));
    }
} else {
    const engine = new UciEngine(workerData, (line) => parentPort.postMessage(line), () => parentPort.close());
    parentPort.on("message", (text) => (text === null ? engine.end() : engine.line(text)));
}
