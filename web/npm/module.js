// Loads the WebAssembly module and passes text to and from it.
// Invariant: an instance serves either UCI or requests, never both.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const isNode = typeof process === "object" && !!process.versions?.node;

/** The compiled module, from a module, bytes, an address, or by default from the file beside this one. */
export async function compile(source) {
    if (source instanceof WebAssembly.Module) return source;
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
    const address = source ? new URL(source, import.meta.url) : new URL("./brisance.wasm", import.meta.url);
    if (isNode && address.protocol === "file:") {
        const { readFile } = await import(/* @vite-ignore */ "node:fs/promises");
        return WebAssembly.compile(await readFile(address));
    }
    const response = await fetch(address);
    if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
    const isWasm = response.headers.get("content-type")?.startsWith("application/wasm");
    return isWasm ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** An instance of the module. `pause(milliseconds)` is called while it works, `print(lines)` for output. */
export class Instance {
    constructor(module, { pause = () => {}, print = () => {} } = {}) {
        const unused = (name) => () => {
            throw new Error(`${name} is not available`);
        };
        const imports = {
            brisance: {
                now: () => performance.now(),
                pause,
                print: (address, length) => print(this.#read(address, length)),
            },
        };
        // Left over from a library that would use the clock of the browser.
        for (const { module: from, name } of WebAssembly.Module.imports(module)) {
            imports[from] ??= {};
            imports[from][name] ??= unused(name);
        }
        this.exports = new WebAssembly.Instance(module, imports).exports;
        this.exports.seed(Math.random());
    }

    #read(address, length) {
        return decoder.decode(new Uint8Array(this.exports.memory.buffer, address, length));
    }

    #write(chunks) {
        const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
        let address = this.exports.buffer(length);
        for (const chunk of chunks) {
            new Uint8Array(this.exports.memory.buffer, address, chunk.length).set(chunk);
            address += chunk.length;
        }
    }

    /** Answers a request, a text in JSON. */
    call(request) {
        const bytes = encoder.encode(request);
        this.#write([bytes]);
        const length = this.exports.call(bytes.length);
        return this.#read(this.exports.reply_address(), length);
    }

    /** Passes a file to the module. */
    load(name, content) {
        const bytes = encoder.encode(name);
        this.#write([bytes, content]);
        const length = this.exports.load(bytes.length, content.length);
        return this.#read(this.exports.reply_address(), length);
    }

    /** True if `line` is a UCI command, valid or not. */
    knows(line) {
        const bytes = encoder.encode(line);
        this.#write([bytes]);
        return this.exports.uci_knows(bytes.length) !== 0;
    }

    /** Reads a UCI line. True after `quit`. */
    line(line) {
        const bytes = encoder.encode(line);
        this.#write([bytes]);
        return this.exports.uci_line(bytes.length) !== 0;
    }
}
