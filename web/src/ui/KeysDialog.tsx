// The list of keyboard shortcuts.

import { strings } from '../strings';
import { Dialog } from './Dialog';

export function KeysDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title={strings.keys.title} onClose={onClose}>
      <dl class="keys">
        {strings.keys.list.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
