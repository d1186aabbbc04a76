// What the page and the core exchange. Squares are "a1" to "h8", moves are UCI moves; in Chess960
// castling is written as king takes rook.

import type { Key, Role } from '@lichess-org/chessground/types';
import type { Draw, DrawReason, Win, WinReason } from '../../npm/core.js';

export type { Key };
export type Side = 'white' | 'black';
export type Variant = 'atomic' | 'nocheckatomic';

/** Where a game starts; no FEN means the ordinary start position. */
export interface Start {
  variant: Variant;
  fen: string | null;
  chess960: boolean;
}

/** A piece that a move removes. */
export interface Loss {
  square: Key;
  color: Side;
  role: Role;
}

export interface LegalMove {
  uci: string;
  san: string;
  from: Key;
  to: Key;
  promotion: string | null;
  castle: { king: [Key, Key]; rook: [Key, Key] } | null;
  capture: boolean;
  check: boolean;
  /** The squares that explode, the centre first; empty without a capture. */
  explodes: Key[];
  /** Every piece that disappears, the capturing piece first. */
  losses: Loss[];
  explodesKing: boolean;
  /** The reason, when the move ends the game. */
  endsGame: WinReason | DrawReason | null;
}

/** Why a game here was won: by the rules, on the clock or by resignation. */
export type WonBy = WinReason | 'time' | 'resignation';
/** Why a game here was drawn: by the rules or by agreement. */
export type DrawnBy = DrawReason | 'agreement';

/** A piece beside the king of its own side whose capture would explode that king. */
export interface Danger {
  color: Side;
  king: Key;
  square: Key;
  attackers: Key[];
}

export interface PositionInfo {
  fen: string;
  startFen: string;
  /** The moves from the start, each with the position after it. */
  history: { uci: string; san: string; fen: string }[];
  chess960: boolean;
  turn: Side;
  fullmove: number;
  halfmoveClock: number;
  legal: Partial<Record<Key, Key[]>>;
  moves: LegalMove[];
  /** Captures that the rules forbid, with the reason. */
  forbidden: { from: Key; to: Key; reason: string }[];
  check: boolean;
  touchingKings: boolean;
  outcome: Win | Draw | null;
  /** A draw that would have ended a game here, while the analysis goes on. */
  drawn?: Draw;
  danger: Danger[];
}
