// Whether the page is in sight. A page in the background needs no analysis.

import { signal } from '@preact/signals';

export const visible = signal(!document.hidden);

document.addEventListener('visibilitychange', () => (visible.value = !document.hidden));
