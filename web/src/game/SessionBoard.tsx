// The board of a session with everything drawn over it, the line of words below it and the field
// for typed moves.

import type { DrawShape } from '@lichess-org/chessground/draw';
import { useMemo } from 'preact/hooks';
import { Board } from '../board/Board';
import { answer } from '../board/describe';
import { MoveInput } from '../board/MoveInput';
import { PositionTable } from '../board/PositionTable';
import { Promotion } from '../board/Promotion';
import { blastMarks, dangerArrows, dangerMarks, joinMarks } from '../board/shapes';
import { blastText, outcomeText } from '../board/speech';
import type { Key, LegalMove, Side } from '../clients/types';
import { report, type Session } from './session';
import { useShown } from './shown';
import type { Colour, Shape } from './tree';

interface Props {
  session: Session;
  movable: Side | 'both' | null;
  premove?: boolean;
  shapes?: DrawShape[];
  /** Marks beside those of blasts and dangers. */
  marks?: Map<Key, string>;
  /** Said instead of whose move it is. */
  status?: string | null;
  onMove(move: LegalMove): void;
  /** Keeps what is drawn with the position. */
  onDraw?(shapes: Shape[]): void;
  /** The pen that draws instead of moving; it takes typed squares as well. */
  pen?: { colour: Colour; type(squares: string): void } | null;
}

export function SessionBoard({ session, movable, premove, shapes, marks, status, onMove, onDraw, pen }: Props) {
  useShown(session);
  void session.tree.value.version.value;
  const info = session.info.value;
  const node = session.node.value;
  const preview = session.preview.value;
  const danger = session.danger.value;
  const allMarks = useMemo(
    () =>
      joinMarks(
        marks ?? new Map(),
        danger && info ? dangerMarks(info) : new Map(),
        preview && info ? blastMarks(preview, info.turn) : new Map(),
      ),
    [marks, danger, info, preview],
  );
  const allShapes = useMemo(
    () => (danger && info ? [...dangerArrows(info), ...(shapes ?? [])] : (shapes ?? [])),
    [danger, info, shapes],
  );
  const refusal = session.refusal.value;
  const usual = status ?? (info ? outcomeText(info) : '');
  const words = preview && info ? blastText(preview, info.turn) : (refusal ?? usual);
  const choice = session.choice.value;
  const take = (move: LegalMove | null) => move && onMove(move);

  return (
    <>
      <Board
        fen={node.fen}
        info={info}
        orientation={session.orientation.value}
        movable={movable}
        premove={premove}
        lastMove={node.uci}
        shapes={allShapes}
        drawn={onDraw && node.shapes}
        onDraw={onDraw}
        pen={pen?.colour}
        marks={allMarks}
        explosion={session.explosion.value}
        redraw={session.redraw.value}
        onMove={(orig, dest) => take(session.fromBoard(orig, dest))}
        onPreview={(move) => session.show(move)}
        onRefused={(orig, dest) => session.refuse(orig, dest)}
      />
      <PositionTable fen={node.fen} />
      <div class="below-board">
        <p class={preview || refusal ? 'status blast-words' : 'status'}>{words}</p>
        {movable && (
          <MoveInput
            waiting={!info || info.outcome !== null || (movable !== 'both' && movable !== info.turn)}
            answer={(question) => answer(node.fen, question)}
            read={(text) => session.fromText(text)}
            onPreview={(move) => session.show(move?.capture ? move : null)}
            onMoves={(moves) => take(session.pick(moves))}
            onDraw={pen ? (squares) => pen.type(squares) : null}
          />
        )}
      </div>
      {choice && info && (
        <Promotion moves={choice} side={info.turn} orientation={session.orientation.value} onChoose={(move) => take(session.choose(move))} />
      )}
    </>
  );
}

/** Runs an action and shows its error to the person. */
export function run(action: Promise<unknown>): void {
  action.catch(report);
}
