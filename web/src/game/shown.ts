// The session whose board is in sight: the one that the keys act on.

import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { Session } from './session';

export const shown = signal<Session | null>(null);

/** For the component that shows the board. */
export function useShown(session: Session): void {
  useLayoutEffect(() => {
    shown.value = session;
    return () => {
      if (shown.peek() === session) shown.value = null;
    };
  }, [session]);
}
