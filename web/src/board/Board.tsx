// Chessground as a component. The page decides what the board shows; the board reports moves and
// the capture that the person is about to make.

import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import type { Config } from '@lichess-org/chessground/config';
import { start as startShape, type DrawShape } from '@lichess-org/chessground/draw';
import { dests, lastMove, movesBetween } from '../game/squares';
import { settings } from '../state/settings';
import { strings } from '../strings';
import type { Key, LegalMove, PositionInfo, Side } from '../clients/types';
import type { Colour, Shape } from '../game/tree';
import { brushes, shapeOf } from './shapes';

export interface Explosion {
  squares: Key[];
  /** A new number for each explosion, so that the same squares can explode again. */
  id: number;
}

export interface BoardProps {
  fen: string;
  info: PositionInfo | null;
  orientation: Side;
  /** Whose pieces can be moved; none for a board that only shows. */
  movable: Side | 'both' | null;
  premove?: boolean;
  lastMove: string;
  shapes?: DrawShape[];
  /** Circles and arrows that belong to the position; without `onDraw` the board keeps its own. */
  drawn?: Shape[] | undefined;
  /** Fingers and the left button draw in this colour; none when they move pieces. */
  pen?: Colour | null | undefined;
  marks?: Map<Key, string>;
  explosion?: Explosion | null;
  /** A new number draws the same position again. */
  redraw?: number;
  onMove(orig: Key, dest: Key): void;
  onDraw?: ((shapes: Shape[]) => void) | undefined;
  onPreview?(move: LegalMove | null): void;
  /** A capture that the rules forbid is under the pointer. */
  onRefused?(orig: Key, dest: Key): void;
}

export function Board(props: BoardProps) {
  const element = useRef<HTMLDivElement>(null);
  const api = useRef<Api | null>(null);
  const latest = useRef(props);
  latest.current = props;

  // Before the page is painted: its first frame has a board.
  useLayoutEffect(() => {
    const node = element.current;
    if (!node) return;
    const ground = Chessground(node, {
      ...configOf(latest.current),
      drawable: {
        brushes,
        eraseOnMovablePieceClick: false,
        onChange: (shapes) => latest.current.onDraw?.(shapes.flatMap(shapeOf)),
      },
    });
    api.current = ground;
    const stopPreview = watchCaptures(node, ground, latest);
    const stopPen = drawWithPen(node, ground, latest);
    return () => {
      stopPreview();
      stopPen();
      // A frame that is still to come would draw the arrows on a board without a size.
      Object.assign(ground.state.drawable, { shapes: [], autoShapes: [], current: undefined });
      ground.destroy();
    };
  }, []);

  const { fen, info, orientation, movable, premove, lastMove: last, shapes, drawn, marks, explosion, redraw } = props;
  const { coordinates, animation } = settings.value;
  useEffect(() => {
    const ground = api.current;
    if (!ground) return;
    ground.set(configOf(latest.current));
    if (premove && info && movable === info.turn) ground.playPremove();
  }, [fen, info, orientation, movable, premove, last, redraw, coordinates, animation]);

  // Without a size, arrows would have no place.
  useEffect(() => {
    const ground = api.current;
    const draw = (): boolean => {
      ground?.state.dom.bounds.clear();
      // To ask for the size is to lay out the page.
      const hasShapes = shapes?.length || drawn?.length;
      if (hasShapes && !ground?.state.dom.bounds().width) return false;
      ground?.setAutoShapes(shapes ?? []);
      if (drawn) ground?.setShapes(drawn);
      return true;
    };
    if (!element.current || draw()) return;
    const observer = new ResizeObserver(() => draw() && observer.disconnect());
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [shapes, drawn]);
  useEffect(() => api.current?.set({ highlight: { custom: marks ?? new Map() } }), [marks]);
  useEffect(() => {
    if (explosion && settings.value.animation) api.current?.explode(explosion.squares);
  }, [explosion?.id]);

  return (
    <div class={props.pen ? 'board drawing' : 'board'} role="img" aria-label={strings.boardLabel}>
      <div ref={element} />
    </div>
  );
}

function configOf(props: BoardProps): Config {
  const { info, movable } = props;
  const canMove = info !== null && info.outcome === null && movable !== null;
  return {
    fen: props.fen,
    orientation: props.orientation,
    turnColor: info?.turn ?? 'white',
    check: info?.check ? info.turn : false,
    lastMove: lastMove(props.lastMove),
    coordinates: settings.value.coordinates,
    animation: { enabled: settings.value.animation, duration: 180 },
    viewOnly: movable === null,
    movable: {
      free: false,
      color: canMove ? movable : undefined,
      dests: canMove ? dests(info) : new Map(),
      rookCastle: false,
      events: { after: (orig, dest) => props.onMove(orig, dest) },
    },
    premovable: { enabled: props.premove ?? false },
    autoCastle: false,
    draggable: { showGhost: true },
  };
}

/** Draws instead of moving while there is a pen. The right button and the modifier keys draw as ever. */
function drawWithPen(node: HTMLElement, ground: Api, latest: { current: BoardProps }): () => void {
  const begin = (event: MouseEvent | TouchEvent) => {
    const { pen } = latest.current;
    const isOther = event.shiftKey || event.ctrlKey || event.altKey || event.metaKey;
    if (!pen || isOther || ('button' in event && event.button !== 0)) return;
    startShape(ground.state, event);
    const { current } = ground.state.drawable;
    if (!current) return;
    current.brush = pen;
    // A quick tap ends before chessground looks where it is.
    current.mouseSq = current.orig;
  };
  // Before chessground, which would take hold of a piece.
  const options = { capture: true, passive: false };
  node.addEventListener('touchstart', begin, options);
  node.addEventListener('mousedown', begin, options);
  return () => {
    node.removeEventListener('touchstart', begin, options);
    node.removeEventListener('mousedown', begin, options);
  };
}

/** Reports the capture under the pointer while a piece is held or selected. */
function watchCaptures(
  node: HTMLElement,
  ground: Api,
  latest: { current: BoardProps },
): () => void {
  let shown = '';
  /** Each pair of squares is reported once. */
  const isNew = (name: string): boolean => {
    const different = shown !== name;
    shown = name;
    return different;
  };
  const end = () => isNew('') && latest.current.onPreview?.(null);
  const follow = (event: PointerEvent) => {
    const { info, onPreview, onRefused } = latest.current;
    const orig = ground.state.draggable.current?.orig ?? ground.state.selected;
    const dest = ground.getKeyAtDomPos([event.clientX, event.clientY]);
    if (!settings.value.blastPreview || !info || !orig || !dest) return end();
    const capture = movesBetween(info, orig, dest as Key).find((move) => move.capture);
    const refused = info.forbidden.some((move) => move.from === orig && move.to === dest);
    if (!capture && !refused) return end();
    if (!isNew(orig + dest)) return undefined;
    if (capture) return onPreview?.(capture);
    onPreview?.(null);
    return onRefused?.(orig as Key, dest as Key);
  };
  const lift = (event: PointerEvent) => event.pointerType !== 'mouse' && end();
  node.addEventListener('pointermove', follow);
  node.addEventListener('pointerleave', end);
  node.addEventListener('pointerup', lift);
  return () => {
    node.removeEventListener('pointermove', follow);
    node.removeEventListener('pointerleave', end);
    node.removeEventListener('pointerup', lift);
  };
}
