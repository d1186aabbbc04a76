// The games of a file: previous, next, and a list with a search. Nothing for a single game.

import { useState } from 'preact/hooks';
import { run } from '../game/SessionBoard';
import { strings } from '../strings';
import { Dialog } from '../ui/Dialog';
import { IconButton } from '../ui/IconButton';
import type { Analysis } from './analysis';
import type { RawGame } from './games';
import { openListed } from './intake';

const text = strings.games;
/** More rows than anyone reads; the search finds the others. */
const shownRows = 100;

export function GameList({ analysis }: { analysis: Analysis }) {
  const [isOpen, setOpen] = useState(false);
  const all = analysis.games.all.value;
  const index = analysis.games.index.value;
  const current = all[index];
  if (all.length < 2 || !current) return null;
  const open = (next: number) => run(openListed(analysis, next));
  return (
    <div class="game-list">
      <IconButton icon="previous" name={text.previous} disabled={index === 0} onClick={() => open(index - 1)} />
      <button type="button" class="button" title={text.choose} onClick={() => setOpen(true)}>
        {text.place(index + 1, all.length)} {titleOf(current)}
      </button>
      <IconButton icon="next" name={text.next} disabled={index === all.length - 1} onClick={() => open(index + 1)} />
      {isOpen && <Chooser games={all} current={index} onChoose={open} onClose={() => setOpen(false)} />}
    </div>
  );
}

interface ChooserProps {
  games: readonly RawGame[];
  current: number;
  onChoose(index: number): void;
  onClose(): void;
}

function Chooser({ games, current, onChoose, onClose }: ChooserProps) {
  const [wanted, setWanted] = useState('');
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const found = games
    .map((game, index) => ({ index, title: titleOf(game), about: Object.values(game.tags).join(' ').toLowerCase() }))
    .filter(({ about }) => words.every((word) => about.includes(word)));
  const choose = (index: number) => {
    onChoose(index);
    onClose();
  };
  return (
    <Dialog title={text.title} onClose={onClose}>
      <label class="field">
        <span>{text.search}</span>
        <input type="search" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
      </label>
      <p class="hint" role="status">
        {text.found(found.length, Math.min(found.length, shownRows))}
      </p>
      <ul class="rows">
        {found.slice(0, shownRows).map(({ index, title }) => (
          <li key={index}>
            <button type="button" class="row-button" aria-current={index === current || undefined} onClick={() => choose(index)}>
              {index + 1}. {title} <span class="hint">{detailsOf(games[index])}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function titleOf({ tags }: RawGame): string {
  return strings.share.gameName(tags.White ?? '?', tags.Black ?? '?');
}

function detailsOf(game: RawGame | undefined): string {
  const { Result, Date: date, Event: event } = game?.tags ?? {};
  return [Result, date, event].filter((part) => part && !/^\?/.test(part)).join(' · ');
}
