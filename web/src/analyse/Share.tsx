// FEN and PGN in and out, a link, a picture, and files of the person.

import { useEffect, useState } from 'preact/hooks';
import type { Variant } from '../clients/types';
import { run } from '../game/SessionBoard';
import { movesTo } from '../game/tree';
import { address } from '../state/route';
import { strings } from '../strings';
import { FileButton } from '../ui/FileButton';
import type { Analysis } from './analysis';
import { copy, download } from './files';
import { take, takeFen } from './intake';
import { KeptBar } from './Kept';
import { linkParams } from './link';
import { pgnOf } from './pgn';
import { picture } from './picture';

const text = strings.share;

export function Share({ analysis }: { analysis: Analysis }) {
  const { session } = analysis;
  const { variant } = session.tree.value.start;
  const setVariant = (next: Variant) => {
    const { chess960 } = session.tree.value.start;
    const start = { variant: next, fen: session.node.value.fen, chess960 };
    run(analysis.setStart(start, strings.work.rulesChanged(strings.variants[next])));
  };
  return (
    <div class="share">
      <KeptBar analysis={analysis} />
      <label class="field">
        <span>{text.variant}</span>
        <select value={variant} onChange={(event) => setVariant(event.currentTarget.value as Variant)}>
          {Object.entries(strings.variants).map(([key, name]) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <FenField analysis={analysis} />
      <PgnField analysis={analysis} />
      <div class="row wrap">
        <button type="button" class="button" onClick={() => copyLink(analysis)}>
          {text.copyLink}
        </button>
        <button
          type="button"
          class="button"
          onClick={() => run(picture(session).then((blob) => download('position.png', blob)))}
        >
          {text.savePicture}
        </button>
      </div>
    </div>
  );
}

function copyLink({ session }: Analysis): void {
  const params = linkParams(session.tree.value.start, movesTo(session.node.value));
  copy(`${location.origin}${location.pathname}${address('analyse', params)}`);
}

function FenField({ analysis }: { analysis: Analysis }) {
  const { session } = analysis;
  const { fen } = session.node.value;
  const [draft, setDraft] = useState(fen);
  const [error, setError] = useState('');
  useEffect(() => {
    setDraft(fen);
    setError('');
  }, [fen]);
  const load = async (event: Event) => {
    event.preventDefault();
    try {
      await takeFen(analysis, draft);
    } catch (wrong) {
      setError(wrong instanceof Error ? wrong.message : String(wrong));
    }
  };
  return (
    <form class="fen" onSubmit={load}>
      <label class="field">
        <span>{text.fen}</span>
        <input
          type="text"
          spellcheck={false}
          autocomplete="off"
          value={draft}
          aria-invalid={error !== ''}
          aria-describedby="fen-error"
          onInput={(event) => setDraft(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
        />
      </label>
      <output id="fen-error" class="error">
        {error}
      </output>
      <div class="row">
        <button type="submit" class="button" disabled={draft === fen}>
          {text.loadFen}
        </button>
        <button type="button" class="button" onClick={() => copy(fen)}>
          {text.copyFen}
        </button>
      </div>
    </form>
  );
}

function PgnField({ analysis }: { analysis: Analysis }) {
  const { session } = analysis;
  const tree = session.tree.value;
  const version = tree.version.value;
  const [written, setWritten] = useState('');
  // What the person types or pastes stays until it is loaded, whatever the engine adds meanwhile.
  const [edited, setEdited] = useState<string | null>(null);
  const draft = edited ?? written;
  const [errors, setErrors] = useState<string[]>([]);

  useEffect(() => {
    let current = true;
    run(pgnOf(analysis).then((pgn) => current && setWritten(pgn)));
    return () => void (current = false);
  }, [tree, version]);

  const load = async (pgn: string) => {
    setErrors([]);
    try {
      const before = session.tree.value;
      setErrors(await take(analysis, pgn));
      if (session.tree.value !== before) setEdited(null);
    } catch (wrong) {
      setErrors([wrong instanceof Error ? wrong.message : String(wrong)]);
    }
  };

  return (
    <form
      class="pgn"
      onSubmit={(event) => {
        event.preventDefault();
        void load(draft);
      }}
    >
      <label class="field">
        <span>{text.pgn}</span>
        <textarea
          rows={6}
          spellcheck={false}
          value={draft}
          // Text that is put in before would stand behind the game that is written there.
          readOnly={!written}
          aria-describedby="pgn-error pgn-hint"
          onInput={(event) => setEdited(event.currentTarget.value)}
        />
      </label>
      <output id="pgn-error" class="error">
        {errors.map((error) => (
          <span key={error}>{error}</span>
        ))}
      </output>
      <p id="pgn-hint" class="hint">
        {text.drop}
      </p>
      <div class="row wrap">
        <button type="submit" class="button">
          {text.load}
        </button>
        <FileButton
          name={text.openFile}
          accept=".pgn,.txt,text/plain"
          onFile={(chosen) => run(chosen.text().then(load))}
        />
        <button type="button" class="button" onClick={() => run(pgnOf(analysis).then(copy))}>
          {text.copyPgn}
        </button>
        <button
          type="button"
          class="button"
          onClick={() => run(pgnOf(analysis).then((pgn) => download('game.pgn', new Blob([pgn]))))}
        >
          {text.savePgn}
        </button>
      </div>
    </form>
  );
}
