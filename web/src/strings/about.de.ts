// The texts of the view About in German.

import type { about as english } from './about.en';

export const about: typeof english = {
  title: 'Über Brisance',
  what: 'Brisance spielt und analysiert Atomschach, die Variante, in der jeder Schlagzug eine Explosion auslöst. Die Engine läuft auf deinem Gerät. Nichts, was du hier tust, wird irgendwohin gesendet.',
  versionTitle: 'Version',
  version: (name, version, network) => `${name} ${version}. Netz: ${network}.`,
  engineTitle: 'Auf diesem Gerät',
  oneThread: 'Die Engine läuft in einem eigenen Thread.',
  noSimd: 'Diesem Browser fehlt WebAssembly-SIMD, das die Engine braucht.',
  simd: 'WebAssembly-SIMD wird genutzt.',
  strengthTitle: 'Spielstärke',
  strength:
    'Mit einem Zehntel der Zeit ist das native Programm um 186 ± 39 Elo stärker als Multi-Variant-Stockfish (0,4+0,004 gegen 4+0,04, 300 Partien, je ein Thread). Stockfish rechnete mit seiner handgeschriebenen Bewertung, weil sein Netz für Atomschach nicht zu bekommen war; mit dem Netz ist es vielleicht stärker als Brisance. Die Zahlen der Spielstärken sind der eigene Maßstab der Engine, gemessen in Wettkämpfen der Stufen gegeneinander. Im Browser ist die Engine langsamer als das native Programm.',
  rulesTitle: 'Regeln',
  rules:
    'Ein Schlagzug entfernt die schlagende Figur, die geschlagene und alle Figuren auf den acht Feldern ringsum, außer Bauern. Wer den gegnerischen König sprengt, gewinnt. Nach den Lichess-Regeln gibt es Schach und Matt, und Könige, die sich berühren, stehen nicht im Schach. Nach den Regeln des Internet Chess Club gibt es kein Schach.',
  licenceTitle: 'Lizenz und Dank',
  licence: 'Brisance und diese Seite sind freie Software unter der GPL, Version 3 oder neuer.',
  source: 'Quelltext',
  licenceTexts: 'Lizenztexte',
  credits: [
    'Brett: chessground von den Entwicklern von Lichess (GPL-3.0-or-later).',
    'Figuren: cburnett von Colin M. L. Burnett (GPL-2.0-or-later), wie mit chessground verteilt.',
    'Ansicht: Preact und signals (MIT). Kurve: uPlot (MIT). Speicher: idb-keyval (Apache-2.0). Kommentare in PGN: chessops (GPL-3.0-or-later).',
    'Die Töne erzeugt die Seite selbst.',
  ],
  dataTitle: 'Deine Daten',
  data: 'Einstellungen, Analysen, unterbrochene Partien, gelöste Aufgaben, Tabellen und Bücher bleiben allein auf diesem Gerät. Ein Export enthält alles außer Tabellen und Büchern.',
  exportData: 'Exportieren',
  importData: 'Importieren',
  imported: 'Die Daten sind importiert.',
  notExport: 'Diese Datei ist kein Export dieser Seite.',
  deleteData: 'Alles löschen',
  deleteSure: 'Wirklich löschen?',
  deleted: 'Alles ist gelöscht.',
};
