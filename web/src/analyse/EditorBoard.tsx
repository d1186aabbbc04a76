// The board of the editor. With the hand, pieces are dragged, and off the board they vanish; other
// tools act on a click. Pieces of the palette are dragged onto it with any of them.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import type { Piece } from '@lichess-org/chessground/types';
import type { Key, Side } from '../clients/types';
import { piecesOf } from '../game/squares';
import { settings } from '../state/settings';

export type Tool = Piece | 'move' | 'erase';

/** Pixels until a press is a drag. */
const slack = 6;

interface BoardProps {
  /** The board itself, while it is there. */
  ground: { current: Api | null };
  pieces: string;
  tool: Tool;
  orientation: Side;
  onChange(pieces: string): void;
}

export function EditorBoard({ ground: api, pieces, tool, orientation, onChange }: BoardProps) {
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef({ tool, onChange });
  latest.current = { tool, onChange };

  useLayoutEffect(() => {
    if (!element.current) return;
    const ground = Chessground(element.current, {
      fen: pieces,
      orientation,
      coordinates: settings.value.coordinates,
      animation: { enabled: false },
      movable: { free: true, color: 'both' },
      premovable: { enabled: false },
      drawable: { enabled: false },
      draggable: { deleteOnDropOff: true, showGhost: true },
      events: { change: () => latest.current.onChange(ground.getFen()) },
    });
    api.current = ground;
    return () => {
      api.current = null;
      ground.destroy();
    };
  }, []);

  useLayoutEffect(() => {
    if (api.current && api.current.getFen() !== pieces) api.current.set({ fen: pieces });
  }, [pieces]);
  useLayoutEffect(() => api.current?.set({ orientation }), [orientation]);
  useLayoutEffect(() => api.current?.set({ viewOnly: tool !== 'move' }), [tool]);

  const click = (event: MouseEvent) => {
    const key = api.current?.getKeyAtDomPos([event.clientX, event.clientY]) as Key | undefined;
    if (!key || tool === 'move') return;
    const same = typeof tool === 'object' && equal(piecesOf(pieces).get(key), tool);
    api.current?.setPieces(new Map([[key, tool === 'erase' || same ? undefined : tool]]));
    onChange(api.current?.getFen() ?? pieces);
  };
  return (
    <div class="board" onClick={click}>
      <div ref={element} />
    </div>
  );
}

function equal(a: Piece | undefined, b: Piece): boolean {
  return a?.role === b.role && a.color === b.color;
}

/** Follows a press on a piece of the palette. When it moves, the piece goes with it, and stays where it is let go on the board. */
export function dragFromPalette(ground: Api, piece: Piece, press: PointerEvent, onBegin: () => void): void {
  const end = new AbortController();
  const stop = () => end.abort();
  const follow = (event: PointerEvent) => {
    const isNear = Math.hypot(event.clientX - press.clientX, event.clientY - press.clientY) < slack;
    if (event.pointerId !== press.pointerId || isNear) return;
    stop();
    onBegin();
    // Chessground follows the mouse or the finger from here.
    ground.state.viewOnly = false;
    ground.state.dom.bounds.clear();
    ground.dragNewPiece(piece, event, true);
  };
  window.addEventListener('pointermove', follow, end);
  window.addEventListener('pointerup', stop, end);
  window.addEventListener('pointercancel', stop, end);
}
