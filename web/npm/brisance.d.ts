/** Where the module comes from: by default the file `brisance.wasm` beside this one. */
export type WasmSource = string | URL | BufferSource | WebAssembly.Module;

/** An engine in a worker of its own. It speaks UCI. */
export interface BrisanceEngine {
    /** Passes one or more UCI lines to the engine, separated by line breaks. */
    postMessage(line: string): void;
    /** Adds a function that receives each line of the engine's output. */
    addMessageListener(listener: (line: string) => void): void;
    /** Removes a function that was added. */
    removeMessageListener(listener: (line: string) => void): void;
    /** Adds a function that is called when the engine fails; it then answers no more. */
    addErrorListener(listener: (error: Error) => void): void;
    /** Ends the worker at once. */
    terminate(): void;
}

/** A file by its usual name, such as `KQvK.atbw`. */
export interface NamedFile {
    name: string;
    content: Uint8Array;
}

/**
 * Starts an engine that probes these Syzygy tables. The promise is rejected if the module or the worker
 * cannot be loaded, or a table is none.
 */
export default function Brisance(options?: { wasm?: WasmSource; tables?: readonly NamedFile[] }): Promise<BrisanceEngine>;
