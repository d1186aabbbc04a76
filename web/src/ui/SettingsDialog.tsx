// The settings of the page.

import { engine } from '../clients';
import { run } from '../game/SessionBoard';
import { change, changeLanguage, settings, type Settings } from '../state/settings';
import { strings } from '../strings';
import { Choice } from './Choice';
import { Dialog } from './Dialog';

const text = strings.settings;
const switches = ['coordinates', 'animation', 'sound', 'blastPreview', 'autoQueen'] as const;
/** A quarter of the memory at most, as far as the browser tells; the engine takes 1024 at most. */
const maxHash = ((navigator as { deviceMemory?: number }).deviceMemory ?? 2) * 256;
const hashes = [16, 32, 64, 128, 256, 512, 1024];

export function SettingsDialog({ onClose }: { onClose(): void }) {
  const current = settings.value;
  return (
    <Dialog title={text.title} onClose={onClose}>
      <Choice
        name="language"
        label={text.language}
        options={text.languages}
        value={current.language}
        onChange={(language) => run(changeLanguage(language))}
      />
      <Choice name="theme" label={text.theme} options={text.themes} value={current.theme} onChange={(theme) => change({ theme })} />
      <Choice name="board" label={text.board} options={text.boards} value={current.board} onChange={(board) => change({ board })} />
      {switches.map((name) => (
        <label key={name} class="switch">
          <input
            type="checkbox"
            role="switch"
            checked={current[name]}
            onChange={(event) => change({ [name]: event.currentTarget.checked } as Partial<Settings>)}
          />
          <span>{text[name]}</span>
        </label>
      ))}
      <div class="fields">
        <label class="field">
          <span>{strings.analyse.hash}</span>
          <select value={current.hash} onChange={(event) => changeHash(Number(event.currentTarget.value))}>
            {hashes
              .filter((size) => size <= maxHash || size === current.hash)
              .map((size) => (
                <option key={size} value={size}>
                  {size}
                </option>
              ))}
          </select>
        </label>
      </div>
    </Dialog>
  );
}

/** A worker never gives memory back, so a new one starts. */
function changeHash(hash: number): void {
  engine.renew();
  change({ hash });
}
