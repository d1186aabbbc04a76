// The link that holds a position: rules, start position and moves.

import type { Start, Variant } from '../clients/types';

export interface Linked {
  start: Start;
  moves: string[];
}

export function linkParams(start: Start, moves: readonly string[]): Record<string, string> {
  return {
    ...(start.variant === 'atomic' ? {} : { variant: start.variant }),
    ...(start.fen === null ? {} : { fen: start.fen }),
    ...(start.chess960 ? { chess960: '1' } : {}),
    ...(moves.length ? { moves: moves.join(' ') } : {}),
  };
}

/** None when the link holds no position. */
export function readLink(params: URLSearchParams): Linked | null {
  if (!['fen', 'moves', 'variant'].some((name) => params.has(name))) return null;
  const variant: Variant = params.get('variant') === 'nocheckatomic' ? 'nocheckatomic' : 'atomic';
  const moves = (params.get('moves') ?? '').split(/[\s,]+/).filter(Boolean);
  return { start: { variant, fen: params.get('fen')?.replaceAll('_', ' ') ?? null, chess960: params.has('chess960') }, moves };
}
