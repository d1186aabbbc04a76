// Parts of the page that its first frame does not need. They are loaded as soon as it is drawn, so
// that the whole page is there when the connection goes.

import { signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { strings } from '../strings';
import { notify } from './notice';

const loads: (() => void)[] = [];

/** Loads the parts that nobody has wanted yet. */
export function loadRest(): void {
  for (const load of loads) load();
}

/** A component that shows nothing until it has arrived; after a failure it is asked for when it is wanted again. */
export function later<P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> {
  const part = signal<{ Component: FunctionComponent<P> } | null>(null);
  let arrival: Promise<void> | null = null;
  const arrive = async () => {
    try {
      part.value = { Component: await load() };
    } catch (error) {
      arrival = null;
      throw error;
    }
  };
  const want = () => (arrival ??= arrive());
  loads.push(() => void want().catch(() => undefined));
  return function Later(props: P) {
    useLayoutEffect(() => {
      want().catch(() => notify(strings.partMissing, { name: strings.update, act: () => location.reload() }));
    }, []);
    return part.value && <part.value.Component {...props} />;
  };
}
