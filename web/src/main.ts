// The first script: the settings, with the texts that depend on them, are read while the rest of the
// page arrives.

import './strings';
import '@lichess-org/chessground/assets/chessground.base.css';
import '@lichess-org/chessground/assets/chessground.cburnett.css';
import './style/base.css';
import './style/layout.css';
import './style/board.css';
import './style/parts.css';

void import('./start');
