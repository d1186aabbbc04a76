// Book moves, table answers and proofs for the shown position.

import { run } from '../game/SessionBoard';
import { strings } from '../strings';
import { proofText, type Analysis } from './analysis';

const text = strings.analyse;

export function BookMoves({ analysis }: { analysis: Analysis }) {
  const book = analysis.book.value;
  const tables = analysis.tables.value;
  const { proof } = analysis.session.node.value;
  void analysis.session.tree.value.version.value;
  const unproved = analysis.unproved.value;
  const info = analysis.session.info.value;
  return (
    <div class="panel knowledge">
      <div class="row">
        <button
          type="button"
          class="button"
          disabled={analysis.proving.value || proof !== null || !info || info.outcome !== null}
          onClick={() => run(analysis.prove())}
        >
          {analysis.proving.value ? text.proving : text.prove}
        </button>
        {proof && (
          <span class="proof">
            <b>{proofText(proof)}</b> {proof.line}
          </span>
        )}
        {!proof && unproved && <span class="proof">{unproved}</span>}
      </div>
      <p class="answers">
        {tables?.available && tables.moves && <b>{strings.fromTables}</b>}
        {tables?.moves?.slice(0, 5).map((move) => (
          <button key={move.uci} type="button" class="chip" onClick={() => run(analysis.playLine([move.uci]))}>
            {move.san} {move.wdl === null ? strings.noTable : strings.tables[move.wdl + 2]}
          </button>
        ))}
        {book.length > 0 && <b>{text.book}</b>}
        {book.slice(0, 6).map((move) => (
          <button key={move.uci} type="button" class="chip" onClick={() => run(analysis.playLine([move.uci]))}>
            {move.san} {text.share(move.share)}
          </button>
        ))}
      </p>
    </div>
  );
}
