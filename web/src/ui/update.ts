// The service worker: it keeps the page usable offline and tells when a new version is there.

import { signal } from '@preact/signals';
import { registerSW } from 'virtual:pwa-register';
import { strings } from '../strings';
import { notify } from './notice';

export const updateReady = signal(false);

let update: ((reload?: boolean) => Promise<void>) | null = null;

export function registerOffline(): void {
  update = registerSW({
    onNeedRefresh: () => (updateReady.value = true),
    onOfflineReady: () => notify(strings.offlineReady),
  });
}

export function applyUpdate(): void {
  void update?.(true);
}
