import type { WasmSource } from "./brisance.js";

export type Color = "white" | "black";
export type Variant = "atomic" | "nocheckatomic";
export type Role = "pawn" | "knight" | "bishop" | "rook" | "queen" | "king";
/** Why a side has won. */
export type WinReason = "explosion" | "checkmate";
/** Why a game is drawn. */
export type DrawReason = "stalemate" | "insufficient-material" | "fifty-moves" | "repetition";

/** What is wrong with a request, in words; for a FEN also the field that is wrong. */
export interface Failure {
    error: string;
    field?: string;
}

/** A start, the start position by default, and moves in UCI or SAN. */
export interface PositionSpec {
    variant?: Variant;
    fen?: string;
    /** A Chess960 start position by its number, from 0 to 959. */
    chess960?: number;
    moves?: string[];
}

export interface Piece {
    square: string;
    color: Color;
    role: Role;
}

export interface LegalMove {
    /** In coordinates; castling as king takes rook if the position needs Chess960. */
    uci: string;
    san: string;
    from: string;
    to: string;
    promotion: "n" | "b" | "r" | "q" | null;
    castle: { king: [string, string]; rook: [string, string] } | null;
    enPassant: boolean;
    capture: boolean;
    check: boolean;
    /** The squares that explode, the centre first; empty unless the move is a capture. */
    explodes: string[];
    /** The pieces that disappear, the capturing piece first. */
    losses: Piece[];
    explodesKing: boolean;
    endsGame: WinReason | DrawReason | null;
}

export interface Win {
    winner: Color;
    result: "1-0" | "0-1";
    reason: WinReason;
    /** The same as an English sentence. */
    text: string;
}

export interface Draw {
    winner: null;
    result: "1/2-1/2";
    reason: DrawReason;
    /** The same as an English sentence. */
    text: string;
}

export interface PositionReply {
    fen: string;
    variant: Variant;
    chess960: boolean;
    startFen: string;
    turn: Color;
    ply: number;
    fullmove: number;
    halfmoveClock: number;
    /** The Zobrist key, 16 hexadecimal digits. */
    key: string;
    /** Destinations by origin; castling with the target of the king and with the rook's square. */
    legal: Record<string, string[]>;
    moves: LegalMove[];
    /** Moves that ordinary chess would allow. */
    forbidden: { from: string; to: string; reason: string }[];
    check: boolean;
    checkers: string[];
    touchingKings: boolean;
    outcome: Win | Draw | null;
    /** Pieces whose capture would explode their king, with the enemy pieces that attack them. */
    danger: { color: Color; king: string; square: string; role: Role; attackers: string[] }[];
    /** How often the position has occurred before. */
    repetitions: number;
    lastMove: LegalMove | null;
    history: { uci: string; san: string; fen: string }[];
}

/** A move of a game with its annotations; `variations` are alternatives to it. */
export interface GameNode {
    uci: string;
    san: string;
    /** The position after the move. */
    fen: string;
    nags: number[];
    comments: string[];
    variations: { comments: string[]; moves: GameNode[] }[];
}

export interface Game {
    number: number;
    tags: [string, string][];
    variant: Variant;
    chess960: boolean;
    startFen: string;
    result: "1-0" | "0-1" | "1/2-1/2" | "*";
    comments: string[];
    moves: GameNode[];
    warnings: string[];
}

/** A move to write: `uci` or `san`. */
export interface GameNodeSpec {
    uci?: string;
    san?: string;
    nags?: number[];
    comments?: string[];
    variations?: { comments?: string[]; moves: GameNodeSpec[] }[];
}

/** A score as UCI reports it, from the side to move's point of view. */
export type Score = { cp: number } | { mate: number };

/** A forced win of the side to move; after a losing move, of the opponent. */
export interface ForcedWin {
    /** The number of the winner's moves. */
    moves: number;
    /** The longest resistance, in UCI and in SAN. */
    line: string[];
    lineSan: string[];
}

export interface TablebaseMove {
    uci: string;
    san: string;
    /** The result for the side that moves, from −2 to 2. */
    wdl: number | null;
    /** The distance to zeroing after the move, from the same side's point of view. */
    dtz: number | null;
}

/** The requests by name, and their replies. */
export interface Requests {
    position: [PositionSpec, PositionReply];
    fen: [{ fen: string; variant?: Variant }, { fen: string; turn: Color; chess960: boolean; warnings: string[] }];
    san: [PositionSpec & { move: string }, { uci: string; san: string; fen: string }];
    line: [PositionSpec & { line: string[] }, { san: string[]; text: string; fens: string[]; legal: number }];
    pgn_read: [{ text: string; variant?: Variant }, { games: Game[]; errors: string[] }];
    pgn_write: [
        {
            tags?: [string, string][];
            variant?: Variant;
            fen?: string;
            comments?: string[];
            moves: GameNodeSpec[];
            result?: string;
        },
        { pgn: string },
    ];
    levels: [
        object,
        {
            levels: { skill: number; name: string; elo: number | null; nodes: number | null }[];
            minElo: number;
            maxElo: number;
        },
    ];
    wdl: [PositionSpec & Score, { win: number; draw: number; loss: number; expected: number }];
    chess960: [{ number?: number; variant?: Variant }, { number: number; fen: string }];
    /** `behind`: centipawns behind the best move, `null` in a book that was loaded. */
    book: [PositionSpec, { moves: { uci: string; san: string; weight: number; share: number; behind: number | null }[] }];
    /** The forced win of the side to move and its moves that lose by force, as far as the refutation book knows them. */
    refutations: [PositionSpec, { win: ForcedWin | null; losing: (ForcedWin & { uci: string; san: string })[] }];
    solve: [
        PositionSpec & { attacker?: Color; maxNodes?: number; maxMoves?: number },
        | { verdict: "proved"; moves: number; plies: number; line: string[]; san: string[]; nodes: number }
        | { verdict: "disproved" | "unknown"; nodes: number },
    ];
    judge: [
        PositionSpec & { evals: (Score & { best?: string })[] },
        {
            moves: {
                before: number;
                after: number;
                loss: number;
                mark: "?!" | "?" | "??" | null;
                name: string | null;
                nag: number | null;
            }[];
            /** In percent, as in docs/analysis.md; `null` without a move. */
            accuracy: Record<Color, number | null>;
        },
    ];
    tablebase: [
        PositionSpec,
        { available: false } | { available: true; wdl: number; dtz: number | null; moves: TablebaseMove[] },
    ];
    version: [object, { name: string; version: string; network: string | null }];
}

export interface Core {
    /** The compiled module, to be passed to an engine or another core. */
    readonly module: WebAssembly.Module;
    /** Answers a request. */
    call<Name extends keyof Requests>(request: { do: Name } & Requests[Name][0]): Requests[Name][1] | Failure;
    /** Takes a Polyglot book (`.bin`) or an atomic Syzygy table (`.atbw`, `.atbz`). */
    load(
        name: string,
        content: Uint8Array | ArrayBuffer,
    ): { kind: "book"; moves: number; positions: number } | { kind: "tablebase"; tables: string } | Failure;
    /** Gives up files that were loaded; without another book, the built-in one is back. */
    unload(...names: string[]): void;
}

/** Loads the part of the engine that does not search. */
export function createCore(options?: { wasm?: WasmSource }): Promise<Core>;
