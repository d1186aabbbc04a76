// The engine in a worker, with the interface of other engines on npm: `postMessage`,
// `addMessageListener`, `removeMessageListener`, `terminate`.
import { compile } from "./module.js";

const isNode = typeof process === "object" && !!process.versions?.node;

async function start() {
    if (!isNode) return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    const { Worker: NodeWorker } = await import(/* @vite-ignore */ "node:worker_threads");
    const worker = new NodeWorker(new URL("./worker.js", import.meta.url), { resourceLimits: { stackSizeMb: 16 } });
    return {
        postMessage: (message) => worker.postMessage(message),
        terminate: () => worker.terminate(),
        set onmessage(listener) {
            worker.on("message", (data) => listener({ data }));
        },
        set onerror(listener) {
            worker.on("error", (error) => listener({ message: error.message }));
        },
        set onexit(listener) {
            worker.on("exit", listener);
        },
    };
}

/** Starts an engine; see `brisance.d.ts`. */
export default async function Brisance({ wasm, tables = [] } = {}) {
    const [module, worker] = await Promise.all([compile(wasm), start()]);
    const listeners = new Set();
    const errorListeners = new Set();
    await new Promise((resolve, reject) => {
        worker.onerror = (event) => {
            const error = new Error(`the engine failed: ${event.message}`);
            reject(error);
            errorListeners.forEach((listener) => listener(error));
        };
        worker.onmessage = ({ data }) => {
            if (typeof data === "string") listeners.forEach((listener) => listener(data));
            else if (data.ready) resolve();
            else reject(new Error(data.error));
        };
        worker.postMessage({ module, tables });
    }).catch((error) => {
        worker.terminate();
        throw error;
    });
    return {
        postMessage: (line) => worker.postMessage(line),
        addMessageListener: (listener) => void listeners.add(listener),
        removeMessageListener: (listener) => void listeners.delete(listener),
        addErrorListener: (listener) => void errorListeners.add(listener),
        terminate: () => worker.terminate(),
    };
}
