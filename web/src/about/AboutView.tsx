// What this is, how strong, under which licence, and the data on this device.

import { useEffect, useState } from 'preact/hooks';
import { core } from '../clients';
import { run } from '../game/SessionBoard';
import { damagedKey, filePrefix } from '../state/files';
import { deleteAll, exportAll, readExport } from '../state/storage';
import { importAll } from '../state/import';
import { download } from '../analyse/files';
import { address } from '../state/route';
import { strings } from '../strings';
import { notify } from '../ui/notice';
import { FileButton } from '../ui/FileButton';
import { SureButton } from '../ui/SureButton';
import { FilesPanel } from './FilesPanel';
import { hasSimd } from './simd';

const text = strings.about;
/** The build puts the source beside the page unless it is told where it is. */
const source: string = import.meta.env.VITE_SOURCE_URL ?? './source.tar.gz';

export function AboutView() {
  const [version, setVersion] = useState('');
  useEffect(() => {
    run(core.version().then((found) => setVersion(text.version(found.name, found.version, found.network))));
  }, []);
  return (
    <article class="about">
      <h1>{text.title}</h1>
      <p>{text.what}</p>
      <h2>{text.versionTitle}</h2>
      <p>{version || strings.loading}</p>
      <h2>{text.engineTitle}</h2>
      <p>
        {text.oneThread} {hasSimd() ? text.simd : text.noSimd}
      </p>
      <h2>{text.strengthTitle}</h2>
      <p>{text.strength}</p>
      <FilesPanel />
      <h2>{text.rulesTitle}</h2>
      <p>
        {text.rules} <a href={address('rules')}>{strings.play.learn}</a>
      </p>
      <h2>{text.licenceTitle}</h2>
      <p>
        {text.licence} <a href={source}>{text.source}</a> <a href="./licences.txt">{text.licenceTexts}</a>
      </p>
      <ul>
        {text.credits.map((credit) => (
          <li key={credit}>{credit}</li>
        ))}
      </ul>
      <h2>{text.dataTitle}</h2>
      <p>{text.data}</p>
      <div class="row wrap">
        <button
          type="button"
          class="button"
          onClick={() => run(exportAll(filePrefix, damagedKey).then((json) => download('brisance.json', new Blob([json]))))}
        >
          {text.exportData}
        </button>
        <FileButton
          name={text.importData}
          accept=".json,application/json"
          onFile={(chosen) => run(importFrom(chosen))}
        />
        <SureButton name={text.deleteData} question={text.deleteSure} onSure={() => run(deleteAll())} />
      </div>
    </article>
  );
}

async function importFrom(chosen: File): Promise<void> {
  const values = readExport(await chosen.text());
  if (!values) return notify(text.notExport);
  await importAll(values);
  notify(text.imported);
}
