// The engine's lines with its switch and settings. The height is kept when lines come and go.

import { expected } from '../clients/info';
import type { Side } from '../clients/types';
import { change, settings } from '../state/settings';
import { strings } from '../strings';
import { lineScore, type Analysis, type ShownLine } from './analysis';
import { PlayableLine } from './PlayableLine';

const text = strings.analyse;
const limits = [1, 3, 10, 30, 60];

export function Lines({ analysis }: { analysis: Analysis }) {
  const lines = analysis.lines.value;
  const count = settings.value.lines;
  const { proof } = analysis.session.node.value;
  void analysis.session.tree.value.version.value;
  const over = analysis.session.info.value?.outcome != null;
  const empty = analysis.reviewing.value
    ? text.reviewing
    : over
      ? text.gameOver
      : settings.value.engineOn
        ? strings.loading
        : text.engineOff;
  return (
    <div class="panel lines">
      <div class="lines-head">
        <label class="switch">
          <input
            type="checkbox"
            role="switch"
            checked={settings.value.engineOn}
            onChange={(event) => change({ engineOn: event.currentTarget.checked })}
          />
          <span>{text.on}</span>
        </label>
        <span class="engine-status">{lines[0] ? status(lines[0]) : ''}</span>
        <label>
          <span class="hidden">{text.timeLimit}</span>
          <select
            value={settings.value.engineSeconds ?? ''}
            onChange={(event) => change({ engineSeconds: Number(event.currentTarget.value) || null })}
          >
            <option value="">{text.infinite}</option>
            {limits.map((seconds) => (
              <option key={seconds} value={seconds}>
                {text.seconds(seconds)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="hidden">{text.lines}</span>
          <select value={count} onChange={(event) => change({ lines: Number(event.currentTarget.value) })}>
            {[1, 2, 3, 4, 5].map((n) => (
              <option key={n} value={n}>
                {n}
              </option>
            ))}
          </select>
        </label>
      </div>
      <ol class="lines-list" ref={(list) => list?.style.setProperty('--count', String(count))}>
        {lines.length === 0 && <li class={over ? 'none over' : 'none'}>{empty}</li>}
        {lines.map((line) => (
          <li
            key={line.multipv}
            class="line"
            onPointerEnter={() => analysis.hover(line.pv[0])}
            onPointerLeave={() => analysis.hover(undefined)}
          >
            <b class={expected(line.wdl) >= 0.5 ? 'score white' : 'score black'}>{lineScore(line)}</b>
            {line.multipv === 1 && proof?.winner === winnerOf(line) && <em class="proved">{strings.proved}</em>}
            <PlayableLine analysis={analysis} line={line.pv} san={line.san} />
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Who mates in the line. */
function winnerOf({ score }: ShownLine): Side | null {
  if (!('mate' in score)) return null;
  return score.mate > 0 ? 'white' : 'black';
}

function status(line: ShownLine): string {
  return text.engineStatus(`${line.depth}/${line.seldepth}`, short(line.nodes), short(line.nps), line.tbhits ? short(line.tbhits) : null);
}

function short(n: number): string {
  if (n >= 1e6) return `${(n / 1e6).toFixed(1)}M`;
  return n >= 1000 ? `${Math.round(n / 1000)}k` : String(n);
}
