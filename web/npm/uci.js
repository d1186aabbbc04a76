// Runs a UCI session on one thread: while the engine works it returns to the event loop every few
// milliseconds, so that `stop` and other lines reach it.
// Invariant: the module is called again only when it has returned, or between its pauses by `line`.
import { Instance } from "./module.js";

// The state of the code that binaryen's Asyncify adds to the module.
const UNWINDING = 1;
const REWINDING = 2;
// The pages of memory for the frames of a paused search.
const STACK_PAGES = 64;
const PAGE = 65536;
// The time between two returns to the event loop in milliseconds.
const SLICE = 10;

/** Calls `work` in a task of its own, without the delay of a timer. */
const soon =
    typeof setImmediate === "function"
        ? setImmediate
        : (() => {
              const channel = new MessageChannel();
              const waiting = [];
              channel.port1.onmessage = () => waiting.shift()();
              return (work) => {
                  waiting.push(work);
                  channel.port2.postMessage(null);
              };
          })();

export class UciEngine {
    #instance;
    #stack;
    #isRunning = false;
    #hasQuit = false;
    #sliceStart = 0;
    #delay = 0;
    #onQuit;

    /**
     * An engine that passes each line of its output to `onLine`, and calls `onQuit` after `quit`.
     * `tables` are Syzygy tables for the search.
     */
    constructor(module, onLine, onQuit = () => {}, tables = []) {
        this.#onQuit = onQuit;
        this.#instance = new Instance(module, {
            pause: (milliseconds) => this.#pause(milliseconds),
            print: (text) => text.trimEnd().split("\n").forEach(onLine),
        });
        const { exports } = this.#instance;
        const start = exports.memory.grow(STACK_PAGES) * PAGE;
        new Uint32Array(exports.memory.buffer, start, 2).set([start + 8, start + STACK_PAGES * PAGE]);
        this.#stack = start;
        for (const { name, content } of tables) {
            const { error } = JSON.parse(this.#instance.load(name, content));
            if (error) throw new Error(error);
        }
        exports.uci_start();
    }

    /** Passes one or more lines to the engine. */
    line(text) {
        for (const line of text.split("\n")) {
            if (this.#hasQuit) return;
            this.#hasQuit = this.#instance.line(line);
        }
        this.#wake();
    }

    /** True if a line was rejected. Call it after `onQuit` only: not while the module works. */
    hasError() {
        return this.#instance.exports.uci_has_error() !== 0;
    }

    /** Ends the input: searches that would need a `stop` are stopped, all others are finished. */
    end() {
        if (this.#hasQuit) return;
        this.#hasQuit = true;
        this.#instance.exports.uci_end();
        this.#wake();
    }

    #wake() {
        if (this.#isRunning) return;
        this.#isRunning = true;
        this.#sliceStart = performance.now();
        this.#run();
    }

    #run() {
        const { exports } = this.#instance;
        exports.uci_run();
        if (exports.asyncify_get_state() === UNWINDING) {
            exports.asyncify_stop_unwind();
            const resume = () => {
                this.#sliceStart = performance.now();
                exports.asyncify_start_rewind(this.#stack);
                this.#run();
            };
            if (this.#delay > 0) setTimeout(resume, this.#delay);
            else soon(resume);
            return;
        }
        this.#isRunning = false;
        if (this.#hasQuit) this.#onQuit();
    }

    /** Called by the module: leaves it if the slice is over, and later returns to the same place. */
    #pause(milliseconds) {
        const { exports } = this.#instance;
        if (exports.asyncify_get_state() === REWINDING) {
            exports.asyncify_stop_rewind();
            return;
        }
        if (milliseconds === 0 && performance.now() - this.#sliceStart < SLICE) return;
        this.#delay = milliseconds;
        // The frames are saved from the start of the area again.
        new Uint32Array(exports.memory.buffer, this.#stack, 1)[0] = this.#stack + 8;
        exports.asyncify_start_unwind(this.#stack);
    }
}
