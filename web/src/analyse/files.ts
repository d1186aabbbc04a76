// Out of the page: the clipboard and downloads.

import { strings } from '../strings';
import { notify } from '../ui/notice';

export function copy(text: string): void {
  navigator.clipboard.writeText(text).then(
    () => notify(strings.copied),
    () => notify(strings.notCopied),
  );
}

export function download(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
