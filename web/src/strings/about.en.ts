// The texts of the view About in English.

export const about = {
  title: 'About Brisance',
  what: 'Brisance plays and analyses atomic chess, the variant in which captures explode. This page runs its engine on your device. Nothing you do here is sent anywhere.',
  versionTitle: 'Version',
  version: (name: string, version: string, network: string) => `${name} ${version}. Network: ${network}.`,
  engineTitle: 'On this device',
  oneThread: 'The engine runs in one thread of its own.',
  noSimd: 'This browser has no WebAssembly SIMD, which the engine needs.',
  simd: 'WebAssembly SIMD is in use.',
  strengthTitle: 'Strength',
  strength:
    'With a tenth of its time, the native program is +186 ± 39 Elo stronger than multi-variant Stockfish (0.4+0.004 against 4+0.04, 300 games, one thread each). Stockfish used its handcrafted evaluation, because its network for atomic chess was not available; with it, it may be stronger than Brisance. The numbers of the levels are the engine’s own scale, measured by matches between them. In the browser the engine is slower than the native program.',
  rulesTitle: 'Rules',
  rules:
    'A capture removes the capturing piece, the captured piece and every piece on the eight squares around, except pawns. Who explodes the enemy king wins. With Lichess rules there is check and checkmate, and kings that touch cannot be in check. With the rules of the Internet Chess Club there is no check.',
  licenceTitle: 'Licence and credits',
  licence: 'Brisance and this page are free software under the GPL, version 3 or later.',
  source: 'Source code',
  licenceTexts: 'Licence texts',
  credits: [
    'Board: chessground by the Lichess developers (GPL-3.0-or-later).',
    'Pieces: cburnett by Colin M. L. Burnett (GPL-2.0-or-later), as shipped with chessground.',
    'View: Preact and signals (MIT). Graph: uPlot (MIT). Storage: idb-keyval (Apache-2.0). Comments of PGN: chessops (GPL-3.0-or-later).',
    'Sounds are made by the page itself.',
  ],
  dataTitle: 'Your data',
  data: 'Settings, analyses, unfinished games, puzzle progress, tables and books are kept on this device only. An export contains all but tables and books.',
  exportData: 'Export',
  importData: 'Import',
  imported: 'The data are imported.',
  notExport: 'This file is no export of this page.',
  deleteData: 'Delete everything',
  deleteSure: 'Really delete?',
  deleted: 'Everything is deleted.',
};
