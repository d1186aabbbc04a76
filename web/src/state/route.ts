// The address of a view: `#/analyse?variant=…&fen=…&moves=…`.

import { signal } from '@preact/signals';

export const views = ['play', 'analyse', 'puzzles', 'rules', 'about'] as const;
export type View = (typeof views)[number];

export interface Route {
  view: View;
  params: URLSearchParams;
}

function read(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const view = views.find((name) => name === path) ?? 'play';
  return { view, params: new URLSearchParams(query) };
}

export const route = signal<Route>(read());

/** The address of `route`. While the browser has another one, the person has gone on and the event is yet to come. */
let known = location.hash;

window.addEventListener('hashchange', () => {
  known = location.hash;
  route.value = read();
});

export function address(view: View, params?: Record<string, string>): string {
  const query = params && Object.keys(params).length ? `?${new URLSearchParams(params)}` : '';
  return `#/${view}${query}`;
}

/** Changes the address without a new entry in the history and without loading anything. */
export function replaceAddress(view: View, params: Record<string, string>): void {
  if (route.value.view !== view || location.hash !== known) return;
  history.replaceState(null, '', address(view, params));
  known = location.hash;
}
