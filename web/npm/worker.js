// The engine in a worker: the first message has the compiled module and tables, every other one is UCI text.
// Lines of output are posted as strings.
import { UciEngine } from "./uci.js";

const isNode = typeof process === "object" && !!process.versions?.node;

let engine = null;

function receive(message, post, close) {
    if (typeof message === "string") {
        engine?.line(message);
        return;
    }
    try {
        engine = new UciEngine(message.module, post, close, message.tables);
        post({ ready: true });
    } catch (error) {
        post({ error: String(error) });
    }
}

if (isNode) {
    const { parentPort } = await import(/* @vite-ignore */ "node:worker_threads");
    const post = (message) => parentPort.postMessage(message);
    parentPort.on("message", (message) => receive(message, post, () => parentPort.close()));
} else {
    self.onmessage = (event) => receive(event.data, (message) => self.postMessage(message), () => self.close());
}
