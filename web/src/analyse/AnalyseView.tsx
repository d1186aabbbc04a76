// The view for analysis: board with bar and graph, moves, engine lines and tools.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { lineArrows, moveArrow } from '../board/shapes';
import { shortScore } from '../clients/info';
import { Controls } from '../game/Controls';
import { MoveTree } from '../game/MoveTree';
import { run, SessionBoard } from '../game/SessionBoard';
import type { Game } from '../play/game';
import { route } from '../state/route';
import { strings } from '../strings';
import { Choice } from '../ui/Choice';
import { later } from '../ui/later';
import { dismiss } from '../ui/notice';
import type { Analysis } from './analysis';
import type { Drawing } from './drawing';
import { EvalBar } from './EvalBar';
import { GameList } from './GameList';
import type { Learn } from './learn';
import { LearnPanel } from './LearnPanel';
import { Lines } from './Lines';
import { MoveTools } from './MoveTools';
import { Knowledge, Openings } from './Openings';
import { Review } from './review';
import { ReviewPanel } from './ReviewPanel';

const text = strings.analyse;
type Tab = keyof typeof text.tabs;
const Editor = later(() => import('./Editor').then((file) => file.Editor));
const Graph = later(() => import('./Graph').then((file) => file.Graph));
const Share = later(() => import('./Share').then((file) => file.Share));

interface Props {
  analysis: Analysis;
  review: Review;
  learn: Learn;
  game: Game;
}

export function AnalyseView({ analysis, review, learn, game }: Props) {
  const [tab, setTab] = useState<Tab>('moves');
  const { session, drawing } = analysis;
  const { params } = route.value;
  useEffect(() => {
    let isOpen = true;
    run(analysis.openLink(params).finally(() => isOpen && (analysis.active.value = true)));
    return () => void (isOpen = false);
  }, [params]);
  useEffect(
    () => () => {
      if (review.running.value) review.cancel();
      learn.end();
      analysis.active.value = false;
      drawing.take(false);
      // An undo that is offered belongs to this view; it stays among the tools of the moves.
      dismiss();
    },
    [],
  );

  const lines = analysis.lines.value;
  const threat = analysis.threat.value;
  const shapes = useMemo(
    () => [...lineArrows(lines), ...(threat ? [moveArrow(threat.uci, 'threat')] : [])],
    [threat, lines],
  );
  const shown = lines[0] ?? session.node.value.evaluation;
  const outcome = session.info.value?.outcome;
  const ended = outcome && { win: Number(outcome.winner === 'white'), draw: Number(!outcome.winner), loss: Number(outcome.winner === 'black') };

  if (learn.questions.value) return <LearnLayout learn={learn} />;
  const tabs = <Tabs tab={tab} onChoose={setTab} />;

  return (
    <div class="layout analyse">
      <h1 class="hidden">{text.title}</h1>
      {tab === 'editor' ? (
        <Editor analysis={analysis} tabs={tabs} onDone={() => setTab('moves')} />
      ) : (
        <>
          <section class="board-area">
            <EvalBar
              wdl={ended || (shown?.wdl ?? null)}
              score={outcome ? outcome.result.replace('1/2-1/2', '½') : shown ? shortScore(shown.score) : ''}
              orientation={session.orientation.value}
            />
            <SessionBoard
              session={session}
              movable="both"
              shapes={shapes}
              status={drawing.on.value ? strings.drawing.how : threat ? text.threatText(threat.san) : null}
              onMove={(move) => run(analysis.move(move))}
              onDraw={(drawn) => drawing.draw(drawn)}
              pen={drawing.on.value ? { colour: drawing.colour.value, type: (squares) => drawing.type(squares) } : null}
            />
          </section>
          <section class="side">
            <Lines analysis={analysis} />
            <div class="panel moves-panel">
              {tabs}
              <GameList analysis={analysis} />
              <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} class="tab-panel">
                {tab === 'openings' && <Openings analysis={analysis} />}
                {tab === 'share' && <Share analysis={analysis} />}
                {tab === 'review' && <ReviewPanel analysis={analysis} review={review} learn={learn} />}
                {(tab === 'moves' || tab === 'review') && <MoveTree session={session} />}
                {tab === 'moves' && <MoveTools analysis={analysis} game={game} />}
              </div>
              {(tab === 'moves' || tab === 'review') && <Graph session={session} />}
              <Controls
                session={session}
                threat={{
                  pressed: threat !== null,
                  disabled: !analysis.active.value,
                  toggle: () => run(analysis.toggleThreat()),
                }}
                pen={{ pressed: drawing.on.value, toggle: () => drawing.take(!drawing.on.value) }}
              >
                {drawing.on.value && <Colours drawing={drawing} />}
              </Controls>
            </div>
            {tab !== 'openings' && <Knowledge analysis={analysis} onOpen={() => setTab('openings')} />}
          </section>
        </>
      )}
    </div>
  );
}

function Colours({ drawing }: { drawing: Drawing }) {
  return (
    <Choice
      name="colour"
      label={strings.drawing.colour}
      options={strings.drawing.colours}
      value={drawing.colour.value}
      onChange={(colour) => (drawing.colour.value = colour)}
    />
  );
}

/** Nothing of the analysis is seen here, since it would tell the answer. */
function LearnLayout({ learn }: { learn: Learn }) {
  const asks = learn.state.value === 'find';
  useEffect(() => window.scrollTo(0, 0), []);
  return (
    <div class="layout">
      <h1 class="hidden">{strings.learn.title}</h1>
      <section class="board-area">
        <SessionBoard
          session={learn.session}
          movable={asks ? learn.session.orientation.value : null}
          onMove={(move) => run(learn.try(move))}
        />
      </section>
      <section class="side">
        <LearnPanel learn={learn} />
      </section>
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
