// Icons drawn for this page; decoration only, the buttons carry the names.

const paths = {
  first: 'M6 5v14M19 5l-9 7 9 7z',
  previous: 'M16 5l-9 7 9 7z',
  next: 'M8 5l9 7-9 7z',
  last: 'M18 5v14M5 5l9 7-9 7z',
  flip: 'M7 20V5M3 9l4-4 4 4M17 4v15M13 15l4 4 4-4',
  danger: 'M12 3v4M12 17v4M3 12h4M17 12h4M5.6 5.6l2.9 2.9M15.5 15.5l2.9 2.9M18.4 5.6l-2.9 2.9M8.5 15.5l-2.9 2.9',
  keys: 'M3 7h18v11H3zM6 10h1M10 10h1M14 10h1M18 10h1M8 14h8',
  settings: 'M4 7h9M17 7h3M4 12h3M11 12h9M4 17h11M19 17h1M15 5v4M9 10v4M17 15v4',
  hint: 'M9 18h6M10 21h4M8 14c-2-1.5-3-3.2-3-5.5a7 7 0 0 1 14 0c0 2.3-1 4-3 5.5v1H8z',
  takeback: 'M9 5L4 10l5 5M4 10h10a6 6 0 0 1 0 12h-2',
  flag: 'M6 21V4h12l-2.5 4.5L18 13H6',
  draw: 'M6 9h12M6 15h12',
  hand: 'M9 11V5a1.5 1.5 0 0 1 3 0v5V4a1.5 1.5 0 0 1 3 0v6V6a1.5 1.5 0 0 1 3 0v9a6 6 0 0 1-6 6h-1a6 6 0 0 1-5-3l-3-5a1.5 1.5 0 0 1 2.5-1.5L9 14z',
  add: 'M12 5v14M5 12h14',
  pen: 'M4 20l1-5L16 4l4 4L9 19zM13.5 6.5l4 4',
  threat: 'M12 3l9 16H3zM12 9v5M12 16.5v.5',
  close: 'M6 6l12 12M18 6L6 18',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
