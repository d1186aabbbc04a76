// The editor: any position, checked by the core while it is made.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import type { Piece, Role } from '@lichess-org/chessground/types';
import { core } from '../clients';
import { piecesOf } from '../game/squares';
import type { Key, Side } from '../clients/types';
import { run } from '../game/SessionBoard';
import { useShown } from '../game/shown';
import { settings } from '../state/settings';
import { strings } from '../strings';
import { Choice } from '../ui/Choice';
import { IconButton } from '../ui/IconButton';
import { Icon } from '../ui/icons';
import type { Analysis } from './analysis';

const text = strings.editor;
const roles: Role[] = ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'];
const sides: Side[] = ['white', 'black'];
type Tool = Piece | 'move' | 'erase';

interface Props {
  analysis: Analysis;
  /** The tabs above the tools. */
  tabs: ComponentChildren;
  onDone(): void;
}

export function Editor({ analysis, tabs, onDone }: Props) {
  const { session } = analysis;
  useShown(session);
  const { variant } = session.tree.value.start;
  const [board, turnWord, rightsWord] = session.node.value.fen.split(' ');
  const [pieces, setPieces] = useState(board ?? '8/8/8/8/8/8/8/8');
  const [turn, setTurn] = useState<Side>(turnWord === 'b' ? 'black' : 'white');
  const [rights, setRights] = useState(rightsWord === '-' ? '' : (rightsWord ?? ''));
  const [tool, setTool] = useState<Tool>('move');
  const [error, setError] = useState('');
  const fen = `${pieces} ${turn === 'white' ? 'w' : 'b'} ${rights || '-'} - 0 1`;

  // The tabs lie below the board on phones, where the person may have scrolled.
  useEffect(() => window.scrollTo(0, 0), []);
  useEffect(() => {
    let current = true;
    core.checkFen(variant, fen).then(
      ({ warnings }) => current && setError(warnings.join('. ')),
      (wrong) => current && setError(String(wrong.message)),
    );
    return () => void (current = false);
  }, [fen, variant]);

  const change = (next: string) => {
    setPieces(next);
    setRights((before) => [...before].filter((right) => isPossible(right, next)).join(''));
  };
  const setFen = (whole: string) => {
    const [placement = '', side, castling = '-'] = whole.split(' ');
    setPieces(placement);
    setTurn(side === 'b' ? 'black' : 'white');
    setRights(castling === '-' ? '' : castling);
  };
  const use = async () => {
    await analysis.setFen(fen);
    onDone();
  };

  return (
    <>
      <section class="board-area">
        <EditorBoard pieces={pieces} tool={tool} orientation={session.orientation.value} onChange={change} />
      </section>
      <section class="side">
        <div class="panel">
          {tabs}
          <div id="tab-panel" role="tabpanel" aria-labelledby="tab-editor">
            <Palette tool={tool} onChoose={setTool} />
            <Choice name="turn" label={text.turn} options={strings.sides} value={turn} onChange={(side) => setTurn(side)} />
            <Rights rights={rights} pieces={pieces} onChange={setRights} />
            <output class="error">{error}</output>
            <div class="stack">
              <button type="button" class="button primary" disabled={error !== ''} onClick={() => run(use())}>
                {text.use}
              </button>
              <div class="row wrap">
                <button type="button" class="button" onClick={() => setFen('8/8/8/8/8/8/8/8 w - -')}>
                  {text.clear}
                </button>
                <button type="button" class="button" onClick={() => run(core.chess960(518).then((found) => setFen(found.fen)))}>
                  {text.standard}
                </button>
                <button type="button" class="button" onClick={() => run(core.chess960().then((found) => setFen(found.fen)))}>
                  {text.chess960}
                </button>
                <IconButton icon="flip" name={strings.controls.flip} onClick={() => session.flip()} />
              </div>
            </div>
          </div>
        </div>
      </section>
    </>
  );
}

function Palette({ tool, onChoose }: { tool: Tool; onChoose(tool: Tool): void }) {
  return (
    <div class="palette" role="radiogroup" aria-label={text.palette}>
      <ToolButton tool="move" current={tool} name={text.hand} onChoose={onChoose} />
      {sides.flatMap((color) =>
        roles.map((role) => (
          <ToolButton
            key={color + role}
            tool={{ color, role }}
            current={tool}
            name={text.place(strings.pieces[role], strings.sides[color])}
            onChoose={onChoose}
          />
        )),
      )}
      <ToolButton tool="erase" current={tool} name={text.erase} onChoose={onChoose} />
    </div>
  );
}

function Rights({ rights, pieces, onChange }: { rights: string; pieces: string; onChange(rights: string): void }) {
  return (
    <fieldset class="choice">
      <legend>{text.castling}</legend>
      <div class="rights">
        {(Object.keys(text.rights) as (keyof typeof text.rights)[]).map((right) => (
          <label key={right}>
            <input
              type="checkbox"
              checked={rights.includes(right)}
              disabled={!isPossible(right, pieces)}
              onChange={(event) => onChange(toggle(rights, right, event.currentTarget.checked))}
            />
            {text.rights[right]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Whether king and rook are on their rank; rights written in another way are left to the core. */
function isPossible(right: string, pieces: string): boolean {
  const isShort = 'Kk'.includes(right);
  if (!isShort && !'Qq'.includes(right)) return true;
  const isWhite = right === right.toUpperCase();
  const rank = pieces.split('/')[isWhite ? 7 : 0] ?? '';
  const [king, rook] = isWhite ? ['K', 'R'] : ['k', 'r'];
  if (!rank.includes(king)) return false;
  return isShort ? rank.lastIndexOf(rook) > rank.indexOf(king) : rank.includes(rook) && rank.indexOf(rook) < rank.indexOf(king);
}

function toggle(rights: string, right: string, on: boolean): string {
  const without = rights.replace(right, '');
  const all = on ? without + right : without;
  return [...all].sort((a, b) => 'KQkq'.indexOf(a) - 'KQkq'.indexOf(b)).join('');
}

interface ToolProps {
  tool: Tool;
  current: Tool;
  name: string;
  onChoose(tool: Tool): void;
}

function ToolButton({ tool, current, name, onChoose }: ToolProps) {
  const chosen = JSON.stringify(tool) === JSON.stringify(current);
  return (
    <button type="button" role="radio" aria-checked={chosen} aria-label={name} title={name} onClick={() => onChoose(tool)}>
      {tool === 'move' && <Icon name="hand" />}
      {tool === 'erase' && <Icon name="close" />}
      {typeof tool === 'object' && (
        <span class="cg-wrap">
          <piece class={`${tool.role} ${tool.color}`} />
        </span>
      )}
    </button>
  );
}

interface BoardProps {
  pieces: string;
  tool: Tool;
  orientation: Side;
  onChange(pieces: string): void;
}

/** With the hand, pieces are dragged, and off the board they vanish; other tools act on a click. */
function EditorBoard({ pieces, tool, orientation, onChange }: BoardProps) {
  const element = useRef<HTMLDivElement>(null);
  const api = useRef<Api | null>(null);
  const latest = useRef({ tool, onChange });
  latest.current = { tool, onChange };

  useEffect(() => {
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
    return () => ground.destroy();
  }, []);

  useEffect(() => {
    if (api.current && api.current.getFen() !== pieces) api.current.set({ fen: pieces });
  }, [pieces]);
  useEffect(() => api.current?.set({ orientation }), [orientation]);
  useEffect(() => api.current?.set({ viewOnly: tool !== 'move' }), [tool]);

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
