// The rules, notation and review of the engine's own core, in a worker: requests go out with a
// number and come back with it. A worker that dies is replaced; its open requests fail.

import type { NamedFile } from '../../npm/brisance.js';
import type { ForcedWin } from '../../npm/core.js';
import { wasm as compiled } from './wasm';
import type { PositionInfo, Side, Start, Variant } from './types';

/** A move of a PGN game with what belongs to it; variations are alternatives to the move. */
export interface PgnMove {
  uci: string;
  san: string;
  fen: string;
  nags: number[];
  comments: string[];
  variations: { comments: string[]; moves: PgnMove[] }[];
}

export interface PgnGame {
  tags: [string, string][];
  variant: Variant;
  chess960: boolean;
  startFen: string;
  result: string;
  comments: string[];
  moves: PgnMove[];
  warnings: string[];
}

/** A move to be written; what is left out is empty. */
export interface PgnMoveOut {
  uci: string;
  nags?: number[];
  comments?: string[];
  variations?: { comments?: string[]; moves: PgnMoveOut[] }[];
}

export interface PgnGameOut {
  tags: [string, string][];
  variant: Variant;
  fen?: string;
  comments?: string[];
  moves: PgnMoveOut[];
  result?: string;
}

export interface Level {
  skill: number;
  name: string;
  /** On the engine's own scale; none for full strength. */
  elo: number | null;
}

export interface BookMove {
  uci: string;
  san: string;
  share: number;
  /** Centipawns behind the best move; unknown in a book of the person. */
  behind: number | null;
}

/** A move after which the opponent has a forced win. */
export interface LosingMove extends ForcedWin {
  uci: string;
  san: string;
}

/** What the refutation book knows. */
export interface Refutations {
  /** The forced win of the side to move. */
  win: ForcedWin | null;
  losing: LosingMove[];
}

export interface Line {
  san: string[];
  /** The moves with numbers. */
  text: string;
  fens: string[];
}

/** An evaluation from the point of view of the side to move, and its best move. */
export interface Eval {
  cp?: number;
  mate?: number;
  best: string;
}

export interface JudgedMove {
  /** Expected scores of the side that moved, 0 to 1. */
  before: number;
  after: number;
  loss: number;
  mark: '?!' | '?' | '??' | null;
}

export interface Review {
  moves: JudgedMove[];
  /** In percent; none for a side that has not moved. */
  accuracy: { white: number | null; black: number | null };
}

export interface Solution {
  verdict: 'proved' | 'disproved' | 'unknown';
  moves?: number;
  line?: string[];
  san?: string[];
  nodes: number;
}

export interface CoreClient {
  position(start: Start, moves: readonly string[]): Promise<PositionInfo>;
  /** The move that a person meant by "e4", "Nxf7" or "g1f3", or an error that says why not. */
  readMove(start: Start, moves: readonly string[], text: string): Promise<{ uci: string; san: string }>;
  /** A line in words; it stops at the first move that is not legal. */
  line(start: Start, moves: readonly string[], line: readonly string[]): Promise<Line>;
  /** The normalised FEN and what was ignored or filled in, or an error that names what is wrong. */
  checkFen(variant: Variant, fen: string): Promise<{ fen: string; chess960: boolean; warnings: string[] }>;
  /** The start position with this number from 0 to 959; a random one without a number. */
  chess960(number?: number): Promise<{ number: number; fen: string }>;
  readPgn(text: string, variant?: Variant): Promise<{ games: PgnGame[]; errors: string[] }>;
  writePgn(game: PgnGameOut): Promise<string>;
  levels(): Promise<Level[]>;
  book(start: Start, moves: readonly string[]): Promise<BookMove[]>;
  refutations(start: Start, moves: readonly string[]): Promise<Refutations>;
  judge(start: Start, moves: readonly string[], evals: readonly Eval[]): Promise<Review>;
  /** Searches for a forced win of the attacker, by default the side to move. */
  solve(start: Start, moves: readonly string[], maxNodes: number, attacker?: Side): Promise<Solution>;
  /** Gives a book or table file of the person to the core. */
  load(name: string, content: Uint8Array): Promise<void>;
  /** Takes such files away again; without another book, the built-in one is back. */
  unload(names: readonly string[]): Promise<void>;
  /** Gives these files to the core instead of all that it has. */
  replaceFiles(files: readonly NamedFile[]): Promise<void>;
  tablebase(start: Start, moves: readonly string[]): Promise<TablebaseAnswer>;
  version(): Promise<{ name: string; version: string; network: string }>;
}

export interface TablebaseAnswer {
  available: boolean;
  /** From −2 (lost) to 2 (won) for the side to move. */
  wdl?: number;
  dtz?: number;
  moves?: { uci: string; san: string; wdl: number | null; dtz: number | null }[];
}

/** The core refused a request; the message is for the person. */
export class CoreError extends Error {}

export interface CoreRequest {
  id: number;
  /** Only in the first message: the compiled module and the files that are kept. */
  start?: { wasm: WebAssembly.Module; files: readonly NamedFile[] };
  call?: Record<string, unknown>;
  file?: NamedFile;
  unload?: readonly string[];
  files?: readonly NamedFile[];
}

export interface CoreReply {
  id: number;
  reply: { error?: string };
}

interface Open {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

export class WorkerCore implements CoreClient {
  #worker: Promise<Worker> | null = null;
  #open = new Map<number, Open>();
  #last = 0;
  readonly #onFailure: (message: string) => void;

  readonly #files: () => Promise<NamedFile[]>;

  constructor(onFailure: (message: string) => void, files: () => Promise<NamedFile[]> = async () => []) {
    this.#onFailure = onFailure;
    this.#files = files;
  }

  position(start: Start, moves: readonly string[]) {
    return this.#call<PositionInfo>('position', { ...where(start, moves) });
  }

  readMove(start: Start, moves: readonly string[], text: string) {
    return this.#call<{ uci: string; san: string }>('san', { ...where(start, moves), move: text });
  }

  line(start: Start, moves: readonly string[], line: readonly string[]) {
    return this.#call<Line>('line', { ...where(start, moves), line });
  }

  checkFen(variant: Variant, fen: string) {
    return this.#call<{ fen: string; chess960: boolean; warnings: string[] }>('fen', { variant, fen });
  }

  chess960(number?: number) {
    return this.#call<{ number: number; fen: string }>('chess960', { number });
  }

  readPgn(text: string, variant?: Variant) {
    return this.#call<{ games: PgnGame[]; errors: string[] }>('pgn_read', { text, variant });
  }

  async writePgn(game: PgnGameOut) {
    return (await this.#call<{ pgn: string }>('pgn_write', { ...game })).pgn;
  }

  async levels() {
    return (await this.#call<{ levels: Level[] }>('levels', {})).levels;
  }

  async book(start: Start, moves: readonly string[]) {
    return (await this.#call<{ moves: BookMove[] }>('book', where(start, moves))).moves;
  }

  refutations(start: Start, moves: readonly string[]) {
    return this.#call<Refutations>('refutations', where(start, moves));
  }

  judge(start: Start, moves: readonly string[], evals: readonly Eval[]) {
    return this.#call<Review>('judge', { ...where(start, moves), evals });
  }

  solve(start: Start, moves: readonly string[], maxNodes: number, attacker?: Side) {
    return this.#call<Solution>('solve', { ...where(start, moves), maxNodes, attacker });
  }

  tablebase(start: Start, moves: readonly string[]) {
    return this.#call<TablebaseAnswer>('tablebase', where(start, moves));
  }

  version() {
    return this.#call<{ name: string; version: string; network: string }>('version', {});
  }

  async load(name: string, content: Uint8Array) {
    await this.#send({ file: { name, content } });
  }

  async unload(names: readonly string[]) {
    await this.#send({ unload: names });
  }

  async replaceFiles(files: readonly NamedFile[]) {
    await this.#send({ files });
  }

  #call<T>(name: string, rest: Record<string, unknown>): Promise<T> {
    return this.#send({ call: { do: name, ...rest } });
  }

  #send<T>(request: Omit<CoreRequest, 'id'>): Promise<T> {
    const id = ++this.#last;
    return new Promise<T>((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      const worker = (this.#worker ??= this.#start());
      worker.then(
        (port) => port.postMessage({ id, ...request } satisfies CoreRequest),
        () => undefined,
      );
    });
  }

  async #start(): Promise<Worker> {
    try {
      const [wasm, files] = await Promise.all([compiled(), this.#files()]);
      const worker = new Worker(new URL('./core-worker.ts', import.meta.url), { type: 'module' });
      worker.onmessage = ({ data }: MessageEvent<CoreReply>) => this.#receive(data);
      worker.onerror = (event) => {
        event.preventDefault();
        worker.terminate();
        this.#fail(event.message || 'unknown error');
      };
      worker.postMessage({ id: 0, start: { wasm, files } } satisfies CoreRequest);
      return worker;
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  #receive({ id, reply }: CoreReply): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    if (reply.error !== undefined) open?.reject(new CoreError(reply.error));
    else open?.resolve(reply as never);
  }

  #fail(message: string): void {
    this.#worker = null;
    for (const { reject } of this.#open.values()) reject(new CoreError(message));
    this.#open.clear();
    this.#onFailure(message);
  }
}

function where(start: Start, moves: readonly string[]): Record<string, unknown> {
  return { variant: start.variant, ...(start.fen === null ? {} : { fen: start.fen }), moves };
}
