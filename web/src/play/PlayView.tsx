// The view for games against the engine.

import { useEffect, useState } from 'preact/hooks';
import { core } from '../clients';
import type { Level } from '../clients/core';
import type { Side } from '../clients/types';
import { Controls } from '../game/Controls';
import { MoveTree } from '../game/MoveTree';
import { run, SessionBoard } from '../game/SessionBoard';
import { other } from '../game/squares';
import { strings } from '../strings';
import { Actions } from './Actions';
import { clockText } from './clock';
import type { Game } from './game';
import { SetupForm, Welcome } from './SetupForm';

const text = strings.play;

export function PlayView({ game, onAnalyse }: { game: Game; onAnalyse(): void }) {
  const [levels, setLevels] = useState<Level[]>([]);
  useEffect(() => run(core.levels().then(setLevels)), []);
  useEffect(() => {
    run(game.open().then(() => game.resume()));
    return () => game.pause();
  }, []);
  const { session } = game;
  void session.tree.value.version.value;
  const side = game.side.value;
  const result = game.result.value;
  const level = levels.find(({ skill }) => skill === game.setup.value.skill);
  const flipped = session.orientation.value !== side;
  const note = level ? text.levelName(level.name, level.elo) : '';
  const opponent = <Player game={game} side={other(side)} name={text.engine} note={note} below={flipped} />;
  const person = <Player game={game} side={side} name={text.you} note="" below={!flipped} />;

  return (
    <div class={game.preparing.value ? 'layout play preparing' : 'layout play'}>
      <h1 class="hidden">{text.title}</h1>
      <section class="board-area">
        <SessionBoard
          session={session}
          movable={game.canMove ? side : null}
          premove
          shapes={game.hintArrows}
          status={statusOf(game)}
          onMove={(move) => run(game.move(move))}
        />
      </section>
      <section class="side">
        {game.preparing.value && <Welcome />}
        {flipped ? person : opponent}
        {game.preparing.value ? (
          <SetupForm game={game} levels={levels} />
        ) : (
          <div class="panel moves-panel">
            <MoveTree session={session} />
            {result && <p class="result">{result.text}</p>}
            <Controls session={session} />
            <Actions game={game} onAnalyse={onAnalyse} />
          </div>
        )}
        {flipped ? opponent : person}
      </section>
    </div>
  );
}

/** None for the usual words. */
function statusOf(game: Game): string | null {
  if (game.result.value) return game.result.value.text;
  if (game.hint.value) return game.hint.value.text;
  if (game.thinking.value) return text.thinking;
  return game.preparing.value && !game.canMove ? text.chance : null;
}

interface PlayerProps {
  game: Game;
  side: Side;
  name: string;
  note: string;
  /** At the lower edge of the board. */
  below: boolean;
}

function Player({ game, side, name, note, below }: PlayerProps) {
  const left = game.clock.left.value?.[side];
  const turn = game.session.info.value?.turn === side && !game.result.value;
  const time = left === undefined ? '' : clockText(left);
  const low = left !== undefined && left < 10_000;
  return (
    <div class={['player', below ? 'below' : 'above', turn ? 'turn' : ''].join(' ')}>
      <span class={`disc ${side}`} aria-hidden="true" />
      <span class="name">{name}</span>
      <span class="note">{note}</span>
      {time && (
        <span class={low ? 'clock low' : 'clock'} role="timer" aria-live="off" aria-label={text.clockOf(strings.sides[side], time)}>
          {time}
        </span>
      )}
    </div>
  );
}
