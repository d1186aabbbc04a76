#!/usr/bin/env node
// The engine in a terminal: UCI on standard input and output. Arguments are UCI lines, after which
// the program ends.
// Invariant: exit code 0 done, 1 the program failed, 2 an argument was wrong, as in the native program.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { Instance, compile } from "./module.js";
import { UciEngine } from "./uci.js";

const HELP = `Brisance, a UCI engine for atomic chess, as WebAssembly

Usage: brisance [LINE]...

Without arguments: a UCI session on standard input and output. Otherwise each LINE is a UCI line,
and the program ends when all are executed. The commands of the native program (analyse, match,
solve and others) are not part of this package.

Options:
  -h, --help     Print help
  -V, --version  Print version

Example:
  brisance "position startpos moves g1f3" "go movetime 1000"

Exit codes: 0 success, 1 failure, 2 invalid arguments.
`;

/** Answers what needs no engine; returns the exit code, or undefined if the lines are to be executed. */
function answer(module, [first]) {
    if (first === undefined) return undefined;
    if (first === "--help" || first === "-h") {
        process.stdout.write(HELP);
        return 0;
    }
    if (first === "--version" || first === "-V") {
        const { version } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));
        process.stdout.write(`brisance ${version}\n`);
        return 0;
    }
    if (new Instance(module).knows(first)) return undefined;
    process.stderr.write(
        `error: ${JSON.stringify(first)} is not a UCI command; this package offers only UCI, see --help\n`,
    );
    return 2;
}

/** Runs the engine on the lines, or on standard input if there are none. */
function run(module, lines) {
    // A deep search needs more stack than the main thread has.
    const worker = new Worker(new URL(import.meta.url), {
        workerData: module,
        resourceLimits: { stackSizeMb: 16 },
        stdout: false,
    });
    worker.on("message", (message) => {
        if (typeof message === "string") process.stdout.write(`${message}\n`);
        else if (message.hasError && lines.length > 0) process.exitCode = 2;
    });
    worker.on("error", (error) => {
        console.error(error);
        process.exit(1);
    });
    // Once all output is written. After an error the listener of the output ends the program.
    worker.on("exit", () => process.stdout.write("", (error) => error ?? process.exit(process.exitCode ?? 0)));
    if (lines.length > 0) {
        // A `quit` during a search would stop it.
        const end = lines.findIndex((line) => line.trim().toLowerCase() === "quit");
        worker.postMessage((end < 0 ? lines : lines.slice(0, end)).join("\n"));
        worker.postMessage(null);
    } else {
        const input = createInterface({ input: process.stdin });
        input.on("line", (line) => worker.postMessage(line));
        input.on("close", () => worker.postMessage(null));
    }
}

if (isMainThread) {
    // A reader that goes away, as in `… | head`, ends the program; only other errors are failures.
    process.stdout.on("error", ({ code, message }) => {
        if (code !== "EPIPE") process.stderr.write(`error: cannot write the output: ${message}\n`);
        process.exit(code === "EPIPE" ? 0 : 1);
    });
    const [module, lines] = [await compile(), process.argv.slice(2)];
    const code = answer(module, lines);
    if (code === undefined) run(module, lines);
    else process.exitCode = code;
} else {
    const engine = new UciEngine(
        workerData,
        (line) => parentPort.postMessage(line),
        () => {
            parentPort.postMessage({ hasError: engine.hasError() });
            parentPort.close();
        },
    );
    parentPort.on("message", (text) => (text === null ? engine.end() : engine.line(text)));
}
