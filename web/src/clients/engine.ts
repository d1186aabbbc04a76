// The engine behind UCI lines. One search at a time: a new one stops the old one first, and the
// caller of the old one gets its result so far. A worker that dies is replaced with a notice.

import Brisance, { type NamedFile } from '../../npm/brisance.js';
import { wasm } from './wasm';
import { parseInfo, type EngineLine } from './info';
import type { Start } from './types';

export interface SearchRequest {
  start: Start;
  moves: readonly string[];
  /** The words after `go`, as in UCI. */
  go: string;
  options?: Record<string, string | number | boolean>;
  onLines?: (lines: EngineLine[]) => void;
}

export interface SearchResult {
  /** None when the game is over or the search was cut off before its first move. */
  best: string | null;
  lines: EngineLine[];
  /** Another request or `stop` ended this search. */
  stopped: boolean;
}

export interface EngineClient {
  search(request: SearchRequest): Promise<SearchResult>;
  stop(): void;
  newGame(): void;
  /** The next search runs in a new worker, with the files of that time; the memory of this one is free then. */
  renew(): void;
}

const refusal = 'info string error: ';
const damaged = /^info string Syzygy table (\S+) (?:is cut off or damaged|cannot be read)/;

type Port = Awaited<ReturnType<typeof Brisance>>;

interface Job {
  request: SearchRequest;
  lines: EngineLine[];
  stopped: boolean;
  resolve: (result: SearchResult) => void;
}

interface Listener {
  /** The worker has died. */
  onFailure(message: string): void;
  /** The engine has refused a line. */
  onRefusal(message: string): void;
  /** A search has met a table that it cannot read. */
  onDamagedTable(name: string): void;
}

export class UciEngine implements EngineClient {
  #port: Promise<Port> | null = null;
  #current: Job | null = null;
  #waiting: Job | null = null;
  #options = new Map<string, string>();
  #frame = 0;
  /** Whether the next search starts with an empty TT. */
  #fresh = false;
  /** The worker ends with its search. */
  #isOld = false;
  readonly #listener: Listener;
  readonly #tables: () => Promise<NamedFile[]>;

  constructor(listener: Listener, tables: () => Promise<NamedFile[]>) {
    this.#listener = listener;
    this.#tables = tables;
  }

  renew(): void {
    if (this.#current) this.#isOld = true;
    else this.#drop();
  }

  /** A search that runs, perhaps of another view, goes on: the next one starts afresh. */
  newGame(): void {
    this.#fresh = true;
  }

  stop(): void {
    if (this.#waiting) {
      this.#waiting.resolve({ best: null, lines: [], stopped: true });
      this.#waiting = null;
    }
    if (this.#current && !this.#current.stopped) {
      this.#current.stopped = true;
      this.#send('stop');
    }
  }

  search(request: SearchRequest): Promise<SearchResult> {
    return new Promise((resolve) => {
      const job: Job = { request, lines: [], stopped: false, resolve };
      this.stop();
      if (this.#current) this.#waiting = job;
      else this.#begin(job);
    });
  }

  #begin(job: Job): void {
    this.#current = job;
    if (this.#fresh) this.#send('ucinewgame');
    this.#fresh = false;
    const { start, moves, go, options } = job.request;
    const wanted: Record<string, string | number | boolean> = {
      UCI_Variant: start.variant,
      UCI_Chess960: start.chess960,
      UCI_ShowWDL: true,
      ...options,
    };
    for (const [name, value] of Object.entries(wanted)) {
      if (this.#options.get(name) === String(value)) continue;
      this.#options.set(name, String(value));
      this.#send(`setoption name ${name} value ${value}`);
    }
    const from = start.fen === null ? 'startpos' : `fen ${start.fen}`;
    this.#send(`position ${from}${moves.length ? ` moves ${moves.join(' ')}` : ''}`);
    this.#send(`go ${go}`);
  }

  /** Lines wait until the engine is there, and stay in order. */
  #send(line: string): void {
    const port = (this.#port ??= this.#start());
    port.then(
      (engine) => engine.postMessage(line),
      () => undefined,
    );
  }

  async #start(): Promise<Port> {
    try {
      const [compiled, tables] = await Promise.all([wasm(), this.#tables()]);
      const engine = await Brisance({ wasm: compiled, tables });
      engine.addMessageListener((line) => this.#receive(line.trim()));
      engine.addErrorListener((error) => this.#fail(error.message));
      return engine;
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  #receive(line: string): void {
    if (line.startsWith(refusal)) this.#listener.onRefusal(line.slice(refusal.length));
    else if (damaged.test(line)) this.#listener.onDamagedTable(damaged.exec(line)?.[1] ?? '');
    else if (line.startsWith('info ')) this.#receiveInfo(line);
    else if (line.startsWith('bestmove')) this.#finish(line.split(/\s+/)[1] ?? '');
  }

  #receiveInfo(line: string): void {
    const job = this.#current;
    const parsed = job && parseInfo(line, sideToMove(job.request));
    if (!job || !parsed) return;
    job.lines[parsed.multipv - 1] = parsed;
    if (job.stopped || !job.request.onLines || this.#frame) return;
    // At most one report for each frame, however many lines the engine sends.
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      if (this.#current === job && !job.stopped) job.request.onLines?.(job.lines.filter(Boolean));
    });
  }

  #finish(word: string): void {
    const job = this.#current;
    if (!job) return;
    this.#current = null;
    const best = /^[a-h][1-8][a-h][1-8][qrbn]?$/.test(word) ? word : null;
    job.resolve({ best, lines: job.lines.filter(Boolean), stopped: job.stopped });
    if (this.#isOld) this.#drop();
    const next = this.#waiting;
    this.#waiting = null;
    if (next && !this.#current) this.#begin(next);
  }

  /** Ends the running search with what it has; the next line starts a new engine. */
  #fail(message: string): void {
    this.#drop();
    this.#listener.onFailure(message);
    this.#finish('');
  }

  #drop(): void {
    this.#port?.then(
      (engine) => engine.terminate(),
      () => undefined,
    );
    this.#port = null;
    this.#options.clear();
    this.#isOld = false;
  }
}

function sideToMove({ start, moves }: SearchRequest): 'white' | 'black' {
  const first = start.fen?.split(/\s+/)[1] === 'b' ? 1 : 0;
  return (first + moves.length) % 2 ? 'black' : 'white';
}
