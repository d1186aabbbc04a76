// What is known of the shown position without a search: proofs, tables, the book, and the moves that
// lose by force. The panel below the moves shows it in short, the tab all of it.

import { run } from '../game/SessionBoard';
import { strings } from '../strings';
import { proofText, type Analysis, type Openings as Found } from './analysis';
import { PlayableLine } from './PlayableLine';

const text = strings.analyse;

interface Props {
  analysis: Analysis;
}

export function Knowledge({ analysis, onOpen }: Props & { onOpen(): void }) {
  const openings = analysis.openings.value;
  return (
    <div class="panel knowledge">
      <Proved analysis={analysis} />
      <p class="answers">
        <TableMoves analysis={analysis} />
        {openings && openings.book.length > 0 && <b>{text.book}</b>}
        {openings?.book.slice(0, 6).map((move) => (
          <button key={move.uci} type="button" class="chip" onClick={() => run(analysis.playLine([move.uci]))}>
            {move.san} {text.share(move.share)}
          </button>
        ))}
        {openings && openings.losing.length > 0 && (
          <button type="button" class="chip" onClick={onOpen}>
            {losingText(analysis, openings)}
          </button>
        )}
      </p>
    </div>
  );
}

export function Openings({ analysis }: Props) {
  const openings = analysis.openings.value;
  const tables = analysis.tables.value;
  const { proof } = analysis.session.node.value;
  const isOver = analysis.session.info.value?.outcome != null;
  const isEmpty = openings && openings.book.length + openings.losing.length === 0 && !tables?.available && !proof;
  return (
    <div class="openings">
      <Proved analysis={analysis} />
      {tables?.available && (
        <p>
          <TableMoves analysis={analysis} />
        </p>
      )}
      {isEmpty && <p class="none">{isOver ? text.gameOver : text.notInBooks}</p>}
      {openings && openings.book.length > 0 && <BookMoves analysis={analysis} openings={openings} />}
      {openings && openings.losing.length > 0 && <LosingMoves analysis={analysis} openings={openings} />}
    </div>
  );
}

function BookMoves({ analysis, openings: { book } }: Props & { openings: Found }) {
  return (
    <>
      <h2>{text.book}</h2>
      {book.length > 1 && <p class="hint">{book[0]?.behind === null ? text.shareHint : text.behindHint}</p>}
      <p>
        {book.map((move) => (
          <button key={move.uci} type="button" class="chip" onClick={() => run(analysis.playLine([move.uci]))}>
            {move.san} {text.share(move.share)}
            {move.behind ? <span class="behind"> −{(move.behind / 100).toFixed(2)}</span> : null}
          </button>
        ))}
      </p>
    </>
  );
}

/** The longest resistance first: these losses are the hardest to see. */
function LosingMoves({ analysis, openings }: Props & { openings: Found }) {
  const losing = [...openings.losing].sort((one, other) => other.moves - one.moves);
  return (
    <>
      <h2>{losingText(analysis, openings)}</h2>
      <ol class="losing">
        {losing.map(({ uci, san, moves, line, lineSan }) => (
          <li key={uci} class="line">
            <b>{text.losesIn(moves)}</b>
            <PlayableLine analysis={analysis} line={[uci, ...line]} san={[san, ...lineSan]} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** The proof for the shown position, and the button that looks for one. */
function Proved({ analysis }: Props) {
  const node = analysis.session.node.value;
  void analysis.session.tree.value.version.value;
  const { proof } = node;
  const unproved = analysis.unproved.value;
  const info = analysis.session.info.value;
  const line = proof?.line.split(' ') ?? [];
  return (
    <div class="row proven">
      {!proof && (
        <button
          type="button"
          class="button"
          disabled={!analysis.active.value || analysis.proving.value || !info || info.outcome !== null}
          onClick={() => run(analysis.prove())}
        >
          {analysis.proving.value ? text.proving : text.prove}
        </button>
      )}
      {proof && (
        <p class="proof">
          <b>{proofText(node, proof)}</b> <PlayableLine analysis={analysis} line={line} san={line} />
        </p>
      )}
      {!proof && unproved && <p class="proof">{unproved}</p>}
    </div>
  );
}

function TableMoves({ analysis }: Props) {
  const tables = analysis.tables.value;
  return (
    <>
      {tables?.available && tables.moves && <b>{strings.fromTables}</b>}
      {tables?.moves?.slice(0, 5).map((move) => (
        <button key={move.uci} type="button" class="chip" onClick={() => run(analysis.playLine([move.uci]))}>
          {move.san} {move.wdl === null ? strings.noTable : strings.tables[move.wdl + 2]}
        </button>
      ))}
    </>
  );
}

/** Captures that promote to a lesser piece lead to the same position and do not count. */
function losingText(analysis: Analysis, { losing }: Found): string {
  const moves = analysis.session.info.value?.moves ?? [];
  const all = moves.filter(({ capture, promotion }) => !capture || !promotion || promotion === 'q');
  return text.losing(losing.length, all.length);
}
