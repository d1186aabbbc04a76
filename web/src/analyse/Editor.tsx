// The editor: any position, checked by the core while it is made.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { parseBoardFen } from 'chessops/fen';
import type { Api } from '@lichess-org/chessground/api';
import type { Piece, Role } from '@lichess-org/chessground/types';
import { core } from '../clients';
import type { Side, Variant } from '../clients/types';
import { run } from '../game/SessionBoard';
import { useShown } from '../game/shown';
import { strings } from '../strings';
import { Choice } from '../ui/Choice';
import { IconButton } from '../ui/IconButton';
import { Icon } from '../ui/icons';
import type { Analysis } from './analysis';
import { dragFromPalette, EditorBoard, type Tool } from './EditorBoard';
import { readLink } from './link';
import { positionIn, recognise } from './recognise';

const text = strings.editor;
const roles: Role[] = ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'];
const sides: Side[] = ['white', 'black'];

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
  const [fen, setFen] = useState(session.node.value.fen);
  /** What the person types into the line; none while it shows the FEN of the board. */
  const [draft, setDraft] = useState<string | null>(null);
  const [tool, setTool] = useState<Tool>('move');
  const [error, setError] = useState('');
  const [notes, setNotes] = useState('');
  const ground = useRef<Api | null>(null);
  const [pieces = '', side, castling = '-'] = fen.split(' ');
  const turn: Side = side === 'b' ? 'black' : 'white';
  const rights = castling === '-' ? '' : castling;

  // The tabs lie below the board on phones, where the person may have scrolled.
  useEffect(() => window.scrollTo(0, 0), []);
  useEffect(() => {
    let current = true;
    readPosition(variant, draft ?? fen).then((found) => {
      if (!current) return;
      setError(found.error);
      setNotes(found.notes);
      if (draft !== null && found.fen) setFen(found.fen);
    });
    return () => void (current = false);
  }, [draft, fen, variant]);

  const show = (next: string) => {
    setDraft(null);
    setFen(next);
  };
  /** A change by hand: what the last move allowed is gone, and castling that is not possible. */
  const edit = (part: { pieces?: string; turn?: Side; rights?: string }) => {
    const next = { pieces, turn, rights, ...part };
    const possible = [...next.rights].filter((right) => isPossible(right, next.pieces)).join('');
    show(`${next.pieces} ${next.turn[0]} ${possible || '-'} - 0 1`);
  };
  const drag = (piece: Piece, press: PointerEvent) =>
    ground.current && dragFromPalette(ground.current, piece, press, () => setTool('move'));
  const use = async () => {
    await analysis.setFen(fen);
    onDone();
  };

  return (
    <>
      <section class="board-area">
        <EditorBoard
          ground={ground}
          pieces={pieces}
          tool={tool}
          orientation={session.orientation.value}
          onChange={(next) => edit({ pieces: next })}
        />
      </section>
      <section class="side">
        <div class="panel">
          {tabs}
          <div id="tab-panel" role="tabpanel" aria-labelledby="tab-editor">
            <Palette tool={tool} onChoose={setTool} onDrag={drag} />
            <Choice name="turn" label={text.turn} options={strings.sides} value={turn} onChange={(next) => edit({ turn: next })} />
            <Rights rights={rights} pieces={pieces} onChange={(next) => edit({ rights: next })} />
            <FenLine text={draft ?? fen} isWrong={error !== ''} onInput={setDraft} onLeave={() => !error && setDraft(null)} />
            <output id="editor-error" class="error">
              {error}
            </output>
            {notes && <p class="hint">{notes}</p>}
            <div class="stack">
              <button type="button" class="button primary" disabled={error !== ''} onClick={() => run(use())}>
                {text.use}
              </button>
              <div class="row wrap">
                <button type="button" class="button" onClick={() => show('8/8/8/8/8/8/8/8 w - - 0 1')}>
                  {text.clear}
                </button>
                <button type="button" class="button" onClick={() => run(core.chess960(518).then((found) => show(found.fen)))}>
                  {text.standard}
                </button>
                <button type="button" class="button" onClick={() => run(core.chess960().then((found) => show(found.fen)))}>
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

interface LineProps {
  text: string;
  isWrong: boolean;
  onInput(text: string): void;
  onLeave(): void;
}

function FenLine({ text: shownText, isWrong, onInput, onLeave }: LineProps) {
  return (
    <label class="field">
      <span>{strings.share.fen}</span>
      <input
        type="text"
        spellcheck={false}
        autocomplete="off"
        value={shownText}
        aria-invalid={isWrong}
        aria-describedby="editor-error"
        onInput={(event) => onInput(event.currentTarget.value)}
        onChange={onLeave}
      />
    </label>
  );
}

interface PaletteProps {
  tool: Tool;
  onChoose(tool: Tool): void;
  onDrag(piece: Piece, press: PointerEvent): void;
}

function Palette({ tool, onChoose, onDrag }: PaletteProps) {
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
            onPress={(press) => onDrag({ color, role }, press)}
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
  onPress?(press: PointerEvent): void;
}

function ToolButton({ tool, current, name, onChoose, onPress }: ToolProps) {
  const chosen = JSON.stringify(tool) === JSON.stringify(current);
  return (
    <button
      type="button"
      role="radio"
      aria-checked={chosen}
      aria-label={name}
      title={name}
      onClick={() => onChoose(tool)}
      onPointerDown={(event) => event.isPrimary && event.button === 0 && onPress?.(event)}
    >
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

interface Found {
  /** None when the text is no position that a board can show. */
  fen: string | null;
  error: string;
  notes: string;
}

/** The position that a text holds in any form that the page reads, and what is wrong with it. */
async function readPosition(variant: Variant, given: string): Promise<Found> {
  const found = recognise(given);
  const linked = found.is === 'own link' ? readLink(found.params) : null;
  const { fen: wanted, isPlacementOnly } = positionIn(given);
  try {
    if (linked) return { fen: (await core.position(linked.start, linked.moves)).fen, error: '', notes: '' };
    const { fen, warnings } = await core.checkFen(variant, wanted);
    const sentences = warnings.map((warning) => `${warning}.`);
    const notes = [isPlacementOnly ? strings.share.placementOnly : '', ...sentences].filter(Boolean).join(' ');
    return { fen, error: '', notes };
  } catch (wrong) {
    const [placement = '', turn = 'w', castling = '-', square = '-', ...counters] = wanted.split(/\s+/);
    const isShown = parseBoardFen(placement).isOk;
    const fen = [placement, turn, castling, square, ...(counters.length === 2 ? counters : ['0', '1'])].join(' ');
    return { fen: isShown ? fen : null, error: wrong instanceof Error ? wrong.message : String(wrong), notes: '' };
  }
}
