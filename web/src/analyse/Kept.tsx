// The name of the analysis, and the others that are kept on this device.

import { useEffect, useState } from 'preact/hooks';
import { run } from '../game/SessionBoard';
import { strings } from '../strings';
import { Dialog } from '../ui/Dialog';
import { IconButton } from '../ui/IconButton';
import type { Analysis } from './analysis';
import { nameOf, type KeptAnalysis } from './work';

const text = strings.work;

export function KeptBar({ analysis }: { analysis: Analysis }) {
  const [isOpen, setOpen] = useState(false);
  const { work } = analysis;
  return (
    <>
      <label class="field">
        <span>{text.name}</span>
        <input
          type="text"
          value={work.name.value}
          placeholder={text.namePlaceholder}
          onChange={(event) => {
            const { value } = event.currentTarget;
            work.edit(null, () => (work.name.value = value.trim()));
          }}
        />
      </label>
      <div class="row wrap">
        <button type="button" class="button" onClick={() => setOpen(true)}>
          {text.kept}
        </button>
        <button type="button" class="button" onClick={() => run(analysis.startNew())}>
          {text.start}
        </button>
      </div>
      {isOpen && <KeptDialog analysis={analysis} onClose={() => setOpen(false)} />}
    </>
  );
}

function KeptDialog({ analysis, onClose }: { analysis: Analysis; onClose(): void }) {
  const { work } = analysis;
  const [others, setOthers] = useState<{ id: string; kept: KeptAnalysis }[] | null>(null);
  const steps = work.past.value.length;
  useEffect(() => run(work.others().then(setOthers)), [steps]);
  return (
    <Dialog title={text.kept} onClose={onClose}>
      {others?.length === 0 && <p class="none">{text.none}</p>}
      <ul class="rows">
        {others?.map(({ id, kept }) => (
          <li key={id} class="row">
            <button
              type="button"
              class="row-button"
              onClick={() => {
                run(work.openKept(id, kept));
                onClose();
              }}
            >
              {nameOf(kept)} <span class="hint">{new Date(kept.at).toLocaleString()}</span>
            </button>
            <IconButton icon="close" name={text.remove(nameOf(kept))} onClick={() => run(work.removeKept(id, kept))} />
          </li>
        ))}
      </ul>
      {steps > 0 && (
        <button type="button" class="button" onClick={() => run(work.undo())}>
          {text.undo}
        </button>
      )}
    </Dialog>
  );
}
