// The settings of the page.

import { engine } from '../clients';
import { change, settings, type Settings } from '../state/settings';
import { strings } from '../strings';
import { Choice } from './Choice';
import { Dialog } from './Dialog';
import { useEffect, useState } from 'preact/hooks';

const text = strings.settings;
const switches = ['coordinates', 'animation', 'sound', 'blastPreview'] as const;
const hashes = [16, 32, 64, 128, 256];

export function SettingsDialog({ onClose }: { onClose(): void }) {
  const current = settings.value;
  const [maxHash, setMaxHash] = useState(32);
  useEffect(() => void engine.ready().then((info) => setMaxHash(info.maxHash)), []);
  return (
    <Dialog title={text.title} onClose={onClose}>
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
          <select value={current.hash} onChange={(event) => change({ hash: Number(event.currentTarget.value) })}>
            {hashes
              .filter((size) => size <= Math.max(maxHash, 16))
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
