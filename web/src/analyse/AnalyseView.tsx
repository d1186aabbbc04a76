// The view for analysis: board with bar and graph, moves, engine lines and tools.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { lineArrows, moveArrow } from '../board/shapes';
import { shortScore } from '../clients/info';
import { Controls } from '../game/Controls';
import { MoveTree } from '../game/MoveTree';
import { run, SessionBoard } from '../game/SessionBoard';
import { route } from '../state/route';
import { strings } from '../strings';
import type { Analysis } from './analysis';
import { BookMoves } from './BookMoves';
import { Editor } from './Editor';
import { EvalBar } from './EvalBar';
import { GameList } from './GameList';
import { Graph } from './Graph';
import { Lines } from './Lines';
import { MoveTools } from './MoveTools';
import { Review } from './review';
import { ReviewPanel } from './ReviewPanel';
import { Share } from './Share';

const text = strings.analyse;
type Tab = keyof typeof text.tabs;

export function AnalyseView({ analysis, review }: { analysis: Analysis; review: Review }) {
  const [tab, setTab] = useState<Tab>('moves');
  const { session } = analysis;
  const { params } = route.value;
  useEffect(() => {
    run(analysis.openLink(params).finally(() => (analysis.active.value = true)));
  }, [params]);
  useEffect(
    () => () => {
      if (review.running.value) review.cancel();
      analysis.active.value = false;
    },
    [],
  );

  const lines = analysis.lines.value;
  const threat = analysis.threat.value;
  const shapes = useMemo(
    () => (threat ? [moveArrow(threat, 'threat')] : lineArrows(lines)),
    [threat, lines],
  );
  const shown = lines[0] ?? session.node.value.evaluation;
  const outcome = session.info.value?.outcome;
  const ended = outcome && { win: Number(outcome.winner === 'white'), draw: Number(!outcome.winner), loss: Number(outcome.winner === 'black') };

  const tabs = <Tabs tab={tab} onChoose={setTab} />;

  return (
    <div class="layout analyse">
      <h1 class="hidden">{text.title}</h1>
      {tab === 'editor' ? (
        <Editor analysis={analysis} tabs={tabs} onDone={() => setTab('moves')} />
      ) : (
        <>
          <section class="board-area with-bar">
            <EvalBar
              wdl={ended || (shown?.wdl ?? null)}
              score={outcome ? outcome.result.replace('1/2-1/2', '½') : shown ? shortScore(shown.score) : ''}
              orientation={session.orientation.value}
            />
            <SessionBoard
              session={session}
              movable="both"
              shapes={shapes}
              status={threat ? text.threat : null}
              onMove={(move) => run(analysis.move(move))}
              onDraw={(drawn) => analysis.draw(drawn)}
            />
          </section>
          <section class="side">
            <div class="panel moves-panel">
              {tabs}
              <GameList analysis={analysis} />
              <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} class="tab-panel">
                {tab === 'share' && <Share analysis={analysis} />}
                {tab === 'review' && <ReviewPanel analysis={analysis} review={review} />}
                {(tab === 'moves' || tab === 'review') && <MoveTree session={session} />}
                {tab === 'moves' && <MoveTools analysis={analysis} />}
              </div>
              <Controls session={session} />
            </div>
            <Lines analysis={analysis} />
            <BookMoves analysis={analysis} />
          </section>
          <section class="under">
            <Graph session={session} />
          </section>
        </>
      )}
    </div>
  );
}

/** Tabs with the keys that the ARIA practices give them. */
function Tabs({ tab, onChoose }: { tab: Tab; onChoose(tab: Tab): void }) {
  const names = Object.keys(text.tabs) as Tab[];
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = names[(names.indexOf(tab) + step + names.length) % names.length] as Tab;
    onChoose(next);
    requestAnimationFrame(() => document.getElementById(`tab-${next}`)?.focus());
  };
  return (
    <div class="tabs" role="tablist" aria-label={text.tabsLabel} onKeyDown={onKey}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-selected={tab === name}
          aria-controls="tab-panel"
          tabIndex={tab === name ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {text.tabs[name]}
        </button>
      ))}
    </div>
  );
}
