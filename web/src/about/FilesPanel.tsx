// The books and tables on this device, and the download of tables.

import { useEffect, useState } from 'preact/hooks';
import type { NamedFile } from '../../npm/brisance.js';
import { downloadTables } from '../files/download';
import { deleteFiles } from '../files/files';
import { run } from '../game/SessionBoard';
import { filesChanged, keptFiles } from '../state/files';
import { strings } from '../strings';
import { notify } from '../ui/notice';
import { SureButton } from '../ui/SureButton';

const text = strings.files;

export function FilesPanel() {
  const [kept, setKept] = useState<NamedFile[]>([]);
  const [progress, setProgress] = useState<string | null>(null);
  const changes = filesChanged.value;
  useEffect(() => run(keptFiles().then(setKept)), [changes]);

  const download = async () => {
    setProgress(strings.loading);
    try {
      const count = await downloadTables((done, all) => setProgress(text.progress(done, all)));
      notify(count ? text.downloaded(count) : text.complete);
    } finally {
      setProgress(null);
    }
  };
  return (
    <>
      <h2>{text.title}</h2>
      <p>{text.what}</p>
      <button type="button" class="button" disabled={progress !== null} onClick={() => run(download())}>
        {progress ?? text.download}
      </button>
      {kept.length > 0 && <List kept={kept} />}
    </>
  );
}

function List({ kept }: { kept: readonly NamedFile[] }) {
  const bytes = kept.reduce((sum, { content }) => sum + content.length, 0);
  return (
    <details class="files">
      <summary>{text.count(kept.length, size(bytes))}</summary>
      <SureButton
        name={text.deleteAll}
        question={text.deleteAllSure}
        onSure={() => run(deleteFiles(kept.map(({ name }) => name)))}
      />
      <ul class="rows">
        {kept.map(({ name, content }) => (
          <li key={name} class="row">
            <SureButton name={text.delete(name)} question={text.deleteSure} onSure={() => run(deleteFiles([name]))} />
            <span class="hint">{size(content.length)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function size(bytes: number): string {
  return bytes < 100_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
