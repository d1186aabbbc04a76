// The texts of the rules in German.

import type { rules as english } from './rules.en';

export const rules: typeof english = {
  title: 'Die Regeln des Atomschachs',
  count: (n, all) => `Stellung ${n} von ${all}. Weiß ist am Zug.`,
  all: 'Alle Stellungen',
  next: 'Nächste Stellung',
  again: 'Noch einmal',
  play: 'Eine Partie spielen',
  wrong: (san) => `${san} ist nicht der gesuchte Zug.`,
  lessons: {
    capture: {
      title: 'Schlagen heißt sprengen',
      task: 'Schlag den Bauern auf d5. Halte deinen Bauern zuerst darüber: Das Brett zeigt, was explodieren wird.',
      done: 'Beide Bauern sind weg: Die schlagende Figur verschwindet immer mit der geschlagenen.',
    },
    pawns: {
      title: 'Bauern daneben bleiben stehen',
      task: 'Eine Explosion trifft die acht Felder ringsum. Schlag den Springer mit der Dame.',
      done: 'Dame, Springer und beide Türme sind weg. Die Bauern daneben bleiben: Ein Bauer verschwindet nur, wenn er schlägt oder geschlagen wird.',
    },
    king: {
      title: 'Spreng den König und gewinne',
      task: 'Du musst den König nicht selbst schlagen. Schlag etwas neben ihm.',
      done: 'Der König stand neben f7 und ist explodiert. Die Partie ist zu Ende.',
    },
    cheap: {
      title: 'Schlag mit der billigsten Figur',
      task: 'Turm und Bauer können die Dame schlagen. Wen gibst du für sie her?',
      done: 'Ein Bauer für die Dame. Zurückschlagen kann niemand, denn auf dem Feld steht nichts mehr.',
    },
    own: {
      title: 'Spreng nie den eigenen König',
      task: 'Die Dame greift zwei Figuren an, aber nur eine davon darf geschlagen werden.',
      done: 'Schlagen auf d2 würde den eigenen König sprengen und ist deshalb nicht erlaubt. Aus demselben Grund schlägt ein König nie.',
    },
    guard: {
      title: 'Denk zwei Züge voraus',
      task: 'Schwarz will Ne4 spielen. Dann sprengt Schlagen auf d2 oder f2 deinen König, und beides kannst du nicht abwehren. Finde den einzigen guten Zug.',
      done: 'Der Bauer deckt e4: Ein Springer, der dorthin zieht, wird geschlagen. Die Gefahrenkarte (Taste t) zeigt die Felder neben den Königen.',
    },
    beside: {
      title: 'Neben dem König ist man sicher',
      task: 'Ein König kann nicht schlagen, und neben dem eigenen König darf nichts geschlagen werden. Setz in einem Zug matt.',
      done: 'Die Dame steht neben dem König, und dort darf Schwarz sie nicht schlagen.',
    },
    check: {
      title: 'Den König zu sprengen geht vor',
      task: 'Du stehst im Schach. Kannst du den schwarzen König trotzdem sprengen?',
      done: 'Ein Zug, der den gegnerischen König sprengt, ist immer erlaubt, auch im Schach.',
    },
    remove: {
      title: 'Eine Explosion beendet ein Schach',
      task: 'Der Turm gibt Schach. Entferne ihn, ohne ihn zu schlagen.',
      done: 'Der Turm stand neben dem Springer und verschwand mit ihm.',
    },
    touch: {
      title: 'Könige, die sich berühren',
      task: 'Die Dame gibt Schach. Geh dorthin, wo kein Schach zählt.',
      done: 'Solange sich die Könige berühren, zählt kein Schach: Wer einen sprengt, würde beide sprengen, und das ist nicht erlaubt.',
    },
    castle: {
      title: 'Rochade neben dem gegnerischen König',
      task: 'Der Läufer greift f1 an, und der König muss darüber. Rochiere trotzdem.',
      done: 'Auf Feldern neben dem gegnerischen König gibt es kein Schach. Deshalb darf der König darüber ziehen.',
    },
    passant: {
      title: 'En passant',
      task: 'Schwarz hat gerade d7–d5 gespielt. Schlag den Bauern en passant und gewinne.',
      done: 'Die Explosion ist dort, wo dein Bauer ankommt, auf d6, und das ist neben dem König.',
    },
  },
};
