// The texts of the rules in English: one lesson for each position.

export const rules = {
  title: 'The rules of atomic chess',
  count: (n: number, all: number) => `Position ${n} of ${all}. White is to move.`,
  all: 'All positions',
  next: 'Next position',
  again: 'Try again',
  play: 'Play a game',
  wrong: (san: string) => `${san} is not the move we look for.`,
  lessons: {
    capture: {
      title: 'Captures explode',
      task: 'Take the pawn on d5. Hold your pawn over it first: the board shows what will explode.',
      done: 'Both pawns are gone: the piece that captures always disappears with the captured one.',
    },
    pawns: {
      title: 'Pawns around survive',
      task: 'An explosion reaches the eight squares around. Take the knight with your queen.',
      done: 'The queen, the knight and both rooks are gone. The pawns beside them stay: a pawn only goes when it captures or is captured.',
    },
    king: {
      title: 'Explode the king to win',
      task: 'You do not need to capture the king. Capture something beside it.',
      done: 'The king stood beside f7 and exploded. The game is over.',
    },
    cheap: {
      title: 'Capture with a cheap piece',
      task: 'Rook and pawn can take the queen. Which one do you give for it?',
      done: 'A pawn for a queen. Nobody can recapture, since nothing is left on the square.',
    },
    own: {
      title: 'Never explode your own king',
      task: 'The queen attacks two pieces, but only one of them may be taken.',
      done: 'Taking on d2 would explode your own king, so it is not allowed. For the same reason a king never captures.',
    },
    guard: {
      title: 'Look two moves ahead',
      task: 'Black wants to play Ne4. Then captures on d2 and f2 explode your king, and you cannot parry both. Find the one good move.',
      done: 'The pawn guards e4: a knight that goes there is taken. The danger map (key t) shows the squares beside the kings.',
    },
    beside: {
      title: 'Beside the king you are safe',
      task: 'A king cannot capture, and nothing may be captured beside its own king. Mate in one move.',
      done: 'The queen stands beside the king, where Black may not take her.',
    },
    check: {
      title: 'Exploding the king comes first',
      task: 'You are in check. Can you explode Black’s king all the same?',
      done: 'A move that explodes the enemy king is always allowed, even in check.',
    },
    remove: {
      title: 'A blast ends a check',
      task: 'The rook gives check. Remove it without capturing it.',
      done: 'The rook stood beside the knight and went with it.',
    },
    touch: {
      title: 'Kings that touch',
      task: 'The queen gives check. Go where no check counts.',
      done: 'While the kings touch, no check counts: who explodes one king would explode both, and that is not allowed.',
    },
    castle: {
      title: 'Castling beside the enemy king',
      task: 'The bishop attacks f1, which the king must cross. Castle all the same.',
      done: 'On squares beside the enemy king there is no check, so the king may cross them.',
    },
    passant: {
      title: 'En passant',
      task: 'Black has just played d7–d5. Take the pawn en passant and win.',
      done: 'The explosion is where your pawn arrives, on d6, and that is beside the king.',
    },
  },
};
