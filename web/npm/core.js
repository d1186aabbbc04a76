// Rules, notation, book and judgements of the engine: requests and replies, without a search.
import { Instance, compile } from "./module.js";

/** A core; see `core.d.ts`. */
export async function createCore({ wasm } = {}) {
    const module = await compile(wasm);
    let instance = new Instance(module);
    const files = new Map();
    const restart = () => {
        instance = new Instance(module);
        for (const [name, content] of files) instance.load(name, content);
    };
    // A request that makes the module fail must not disturb the next one.
    const guarded = (work) => {
        try {
            return JSON.parse(work());
        } catch (error) {
            restart();
            return { error: `the engine failed: ${error.message}` };
        }
    };
    return {
        module,
        call: (request) => guarded(() => instance.call(JSON.stringify(request))),
        load(name, content) {
            const bytes = content instanceof Uint8Array ? content : new Uint8Array(content);
            const reply = guarded(() => instance.load(name, bytes));
            if (!reply.error) files.set(name, bytes);
            return reply;
        },
        unload(...names) {
            for (const name of names) files.delete(name);
            restart();
        },
    };
}
