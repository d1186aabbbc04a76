// Every text of the page in German. Moves keep the letters of the PGN standard, as they are typed here.
// Invariant: imports nothing from the page, which waits for this file.

import type { english } from './en';
import { about } from './about.de';
import { rules } from './rules.de';

export const german: typeof english = {
  title: 'Brisance',
  skip: 'Zum Brett springen',
  views: { play: 'Spielen', analyse: 'Analyse', puzzles: 'Aufgaben', rules: 'Regeln', about: 'Über' },
  mainNavigation: 'Ansichten',
  boardLabel: 'Schachbrett. Züge lassen sich im Feld darunter eintippen.',
  close: 'Schließen',
  cancel: 'Abbrechen',
  copied: 'Kopiert.',
  notCopied: 'Der Browser hat das Kopieren nicht erlaubt.',
  loading: 'Wird geladen …',
  unexpected: (why) => `Etwas ist schiefgegangen: ${why}`,
  coreRestarted: (why) => `Das Regelmodul ist stehen geblieben (${why}) und wird neu gestartet.`,
  engineRestarted: (why) => `Die Engine ist stehen geblieben (${why}) und wird neu gestartet. Die Partie bleibt erhalten.`,
  engineRefused: (why) => `Die Engine lehnt ab: ${why}`,
  partMissing: 'Ein Teil der Seite konnte nicht geladen werden.',
  updateReady: 'Eine neue Version liegt bereit.',
  update: 'Jetzt neu laden',
  offlineReady: 'Bereit für den Betrieb ohne Verbindung.',

  sides: { white: 'Weiß', black: 'Schwarz' },
  pieces: {
    pawn: 'Bauer',
    knight: 'Springer',
    bishop: 'Läufer',
    rook: 'Turm',
    queen: 'Dame',
    king: 'König',
  },
  variants: { atomic: 'Lichess-Regeln', nocheckatomic: 'ICC-Regeln (ohne Schach)' },
  pieceOn: (piece, square) => `${piece} ${square}`,
  toMove: (side) => `${side} am Zug`,
  check: 'Schach',
  explodes: (pieces) => `es explodieren: ${pieces.join(', ')}`,
  takes: (piece, square) => `${piece} schlägt auf ${square}`,
  movesTo: (piece, square) => `${piece} nach ${square}`,
  becomes: (piece) => `wird ${piece === 'Dame' ? 'zur' : 'zum'} ${piece}`,
  castlesShort: 'Kurze Rochade',
  castlesLong: 'Lange Rochade',
  promotion: 'Umwandeln in',
  blast: (san, others, own, king) =>
    [
      `${san} sprengt ${others.length ? others.join(', ') : 'sonst nichts'}.`,
      own.length ? `Du verlierst ${own.join(', ')}.` : '',
      king ? `Der ${adjective(king)} König explodiert!` : '',
    ]
      .filter(Boolean)
      .join(' '),
  forbidden: (move, why) => `${move} ist nicht erlaubt: ${reasons[why] ?? why}.`,
  outcome: (reason, winner) => {
    const loser = winner === 'Weiß' ? 'Schwarz' : 'Weiß';
    if (!winner) return `Remis: ${drawReasons[reason] ?? reason}`;
    if (reason === 'explosion') return `Der ${adjective(loser)} König ist explodiert: ${winner} gewinnt`;
    if (reason === 'checkmate') return `Matt: ${winner} gewinnt`;
    if (reason === 'time') return `Die Zeit von ${loser} ist abgelaufen: ${winner} gewinnt`;
    if (reason === 'resignation') return `${loser} gibt auf: ${winner} gewinnt`;
    return `${winner} gewinnt: ${reason}`;
  },
  proved: 'bewiesen',
  fromTables: 'Endspieltabellen',
  noTable: '(keine Tabelle)',
  tables: ['verliert', 'remis (50 Züge)', 'remis', 'remis (50 Züge)', 'gewinnt'],

  controls: {
    label: 'Züge',
    first: 'Anfangsstellung',
    previous: 'Voriger Zug',
    next: 'Nächster Zug',
    last: 'Letzte Stellung',
    flip: 'Brett drehen',
    danger: 'Gefahrenkarte: Figuren, deren Verlust einen König sprengt',
    threat: 'Drohung: was der Gegner jetzt spielen würde',
    pen: 'Kreise und Pfeile zeichnen',
    keys: 'Tastenkürzel',
    settings: 'Einstellungen',
  },
  position: {
    caption: 'Stellung',
    rank: (rank) => `${rank}. Reihe`,
    empty: 'leer',
    piece: (side, piece) => pieceOf(side, piece),
    on: (square, what) => `${square}: ${what}`,
    list: (side, squares) => `${side}: ${squares.length ? squares.join(', ') : 'keine'}`,
    help: 'Frag mit ?N nach den Springern (N wie englisch knight), mit ?f7 nach einem Feld, mit ?7 nach einer Reihe, mit ?f nach einer Linie.',
  },
  moveInput: 'Zug eintippen',
  moveInputPlaceholder: 'e4, Nf3, g1f3',
  drawing: {
    how: 'Zeichnen: Feld antippen für einen Kreis, ziehen für einen Pfeil.',
    on: 'Zeichnen ist an: ein Feld für einen Kreis, zwei für einen Pfeil. Escape führt zurück.',
    off: 'Zeichnen ist aus.',
    input: 'Zeichnen: ein Feld oder zwei',
    inputPlaceholder: 'e4, e2e4',
    wrong: (text) => `${text}: Nenne ein Feld für einen Kreis (e4) oder zwei für einen Pfeil (e2e4).`,
    colour: 'Farbe',
    colours: { green: 'Grün', red: 'Rot', blue: 'Blau', yellow: 'Gelb' },
    circle: (colour, square) => `${colour}er Kreis auf ${square}`,
    arrow: (colour, from, to) => `${colour}er Pfeil von ${from} nach ${to}`,
    removed: (shape) => `${shape}: entfernt`,
  },
  moveList: 'Zugliste',
  noMoves: 'Noch keine Züge.',
  startPosition: 'Anfang',

  play: {
    title: 'Gegen die Engine spielen',
    you: 'Du',
    engine: 'Brisance',
    thinking: 'denkt …',
    welcome: 'Atomschach: Schlagen heißt sprengen',
    rulesInShort:
      'Wer schlägt, entfernt beide Figuren und alle Figuren ringsum, außer Bauern. Spreng den gegnerischen König und gewinne.',
    learn: 'Die Regeln lernen',
    setup: 'Neue Partie',
    setupSure: 'Diese Partie aufgeben?',
    chance: 'Starte die Partie, um deine Farbe zu erfahren.',
    side: 'Deine Farbe',
    sides: { white: 'Weiß', random: 'Zufall', black: 'Schwarz' },
    level: 'Spielstärke',
    levelName: (name, elo) => `${levels[name] ?? name}${elo === null ? '' : ` (${elo})`}`,
    eloNote: 'Die Zahlen sind der eigene Maßstab der Engine, keine Wertungszahlen von Lichess.',
    clock: 'Uhr',
    clocks: { none: 'Ohne Uhr', '1+0': '1 + 0', '3+2': '3 + 2', '5+3': '5 + 3', '10+5': '10 + 5', '15+10': '15 + 10' },
    variant: 'Regeln',
    position: 'Ausgangsstellung',
    positions: { standard: 'Grundstellung', chess960: 'Chess960', given: 'Aus der Analyse' },
    number: 'Nummer',
    numberHint: '0 bis 959; leer für eine zufällige',
    start: 'Partie starten',
    takeback: 'Zug zurücknehmen',
    hint: 'Tipp',
    hints: {
      win: (side) => `Ein Schlagzug sprengt den ${side === 'Weiß' ? 'weißen' : 'schwarzen'} König.`,
      danger: (square) => `Achte auf ${square}: Wird dort geschlagen, explodiert dein König.`,
      piece: (piece, square) => lookAt(piece, square),
      move: (san) => `Tipp: ${san}`,
    },
    resign: 'Aufgeben',
    resignSure: 'Wirklich aufgeben?',
    draw: 'Remis anbieten',
    drawRefused: 'Brisance lehnt das Remis ab.',
    rematch: 'Revanche',
    analyse: 'Partie analysieren',
    restored: 'Deine unterbrochene Partie ist wieder da.',
    paused: 'Deine Partie ruht, bis du zurückkommst.',
    event: 'Partie gegen Brisance',
    clockOf: (side, time) => `Uhr von ${side}: ${time}`,
    drawAgreed: 'vereinbart',
  },

  analyse: {
    title: 'Analyse',
    on: 'Engine',
    infinite: 'unbegrenzt',
    seconds: (n) => `${n} s`,
    timeLimit: 'Zeit je Stellung',
    lines: 'Varianten',
    hash: 'Hash (MiB)',
    engineStatus: (depth, nodes, speed, tables) =>
      `Tiefe ${depth} · ${nodes} Knoten · ${speed}/s${tables ? ` · ${tables} aus Tabellen` : ''}`,
    engineOff: 'Die Engine ist aus.',
    gameOver: 'Die Partie ist hier zu Ende.',
    reviewing: 'Die Engine prüft die Partie.',
    wdl: (win, draw, loss) => `Weiß gewinnt ${win} %, remis ${draw} %, Schwarz gewinnt ${loss} %`,
    barLabel: 'Gewinn, Remis und Verlust',
    book: 'Buch',
    notInBooks: 'Die Bücher kennen diese Stellung nicht.',
    shareHint: 'Wie oft das Buch einen Zug spielt.',
    behindHint: 'Wie oft das Buch einen Zug spielt und wie viele Bauern er hinter dem besten liegt.',
    losing: (n, all) => `${n} von ${all} Zügen ${n === 1 ? 'verliert' : 'verlieren'} zwangsläufig`,
    losesIn: (moves) => `verliert in ${moves}`,
    losesByForce: (moves) => `verliert zwangsläufig in ${moves === 1 ? 'einem Zug' : `${moves} Zügen`}:`,
    share: (share) => (share < 0.005 ? '< 1 %' : `${Math.round(share * 100)} %`),
    prove: 'Gewinn beweisen',
    proving: 'Sucht einen Beweis …',
    provedIn: (side, moves) => `Bewiesen: ${side} gewinnt in ${moves}.`,
    notProved: 'Innerhalb der Grenze wurde kein Beweis gefunden.',
    disproved: 'Es gibt keinen erzwungenen Gewinn, den der Löser finden kann.',
    promote: 'Zur Hauptvariante machen',
    remove: 'Ab hier löschen',
    playFromHere: 'Ab hier spielen',
    comment: 'Kommentar',
    commentLabel: (move) => `Kommentar zu ${move}`,
    tabs: { moves: 'Züge', openings: 'Eröffnung', share: 'FEN & PGN', editor: 'Aufbau', review: 'Prüfen' },
    tabsLabel: 'Werkzeuge',
    threatText: (san) => `Drohung: ${san}`,
    noThreat: 'Hier gibt es keine Drohung zu zeigen.',
  },

  share: {
    fen: 'FEN',
    pgn: 'PGN',
    load: 'Laden',
    loadFen: 'Stellung setzen',
    copyFen: 'FEN kopieren',
    copyPgn: 'PGN kopieren',
    savePgn: 'PGN speichern',
    copyLink: 'Link kopieren',
    savePicture: 'Bild speichern',
    openFile: 'Datei öffnen',
    drop: 'Zieh eine PGN-Datei irgendwo auf die Seite oder füge hier eine ein. Auch Bücher (.bin) und Syzygy-Tabellen für Atomschach (.atbw, .atbz) lassen sich hierher ziehen.',
    emptyPgn: 'Hier steht kein Text: Füge zuerst eine Partie oder eine Stellung ein.',
    notPgn: 'Einem Link kann die Seite nicht folgen, weil nichts dieses Gerät verlässt. Füge die PGN selbst ein.',
    gameName: (white, black) => `${white} – ${black}`,
    loaded: (n) => (n === 1 ? 'Partie geladen.' : `${n} Partien geladen.`),
    assumed: 'Keine Angabe sagt, welches Schach es ist: als Atomschach gelesen.',
    gameOf: (place, all) => `Partie ${place} von ${all}.`,
    notRecognised: 'Das ist weder eine Partie (PGN) noch eine Stellung (FEN).',
    unreadableFile: (name) =>
      `${name} ist weder eine Partie (PGN) noch ein Buch (.bin) noch eine Tabelle für Atomschach (.atbw, .atbz).`,
    positionSet: 'Stellung gesetzt.',
    placementOnly: 'Nur die Figuren waren angegeben: Weiß ist am Zug.',
    variant: 'Regeln',
  },

  files: {
    title: 'Tabellen und Bücher',
    what: 'Endspieltabellen kennen das Ergebnis jeder Stellung mit wenigen Figuren. Die Analyse zeigt es, und die Engine nutzt es bei der Suche. Tabellen (.atbw, .atbz) und Bücher (.bin), die du auf die Seite ziehst, bleiben ebenfalls hier.',
    download: 'Endspieltabellen herunterladen',
    progress: (done, all) => `${done} von ${all}`,
    downloaded: (n) => (n === 1 ? 'Eine weitere Tabelle ist in Gebrauch.' : `${n} weitere Tabellen sind in Gebrauch.`),
    complete: 'Alle Tabellen dieser Seite sind schon auf diesem Gerät.',
    notHere: 'Diese Seite bietet keine Tabellen an.',
    notReached: 'Die Tabellen lassen sich nicht herunterladen: Es gibt keine Verbindung zur Seite.',
    incomplete: (name) => `${name} ist nicht vollständig angekommen. Versuch es später noch einmal.`,
    notAtomicTable: (name) => `${name} ist keine Tabelle für Atomschach.`,
    damaged: (name) => `${name} ist beschädigt und nicht in Gebrauch.`,
    noRoom: 'Die Dateien sind in Gebrauch, bis die Seite geschlossen wird; um sie zu behalten, hat der Browser keinen Platz.',
    added: (names) =>
      names.length === 1
        ? `${names[0]} ist in Gebrauch und bleibt auf diesem Gerät.`
        : `${names.length} Dateien sind in Gebrauch und bleiben auf diesem Gerät.`,
    count: (n, size) => (n === 1 ? `Eine Datei, ${size}` : `${n} Dateien, ${size}`),
    delete: (name) => `${name} löschen`,
    deleteSure: 'Wirklich löschen?',
    deleteAll: 'Alle löschen',
    deleteAllSure: 'Wirklich alle löschen?',
  },

  games: {
    title: 'Partien',
    choose: 'Partie wählen',
    previous: 'Vorige Partie',
    next: 'Nächste Partie',
    search: 'Nach Spielern, Turnieren, Daten suchen',
    place: (place, all) => `${place} von ${all}:`,
    found: (all, shown) => (all === shown ? `${all} Partien` : `${all} Partien; die ersten ${shown} werden gezeigt`),
  },

  work: {
    undo: 'Rückgängig',
    undone: 'Rückgängig gemacht.',
    name: 'Name dieser Analyse',
    namePlaceholder: 'Spieler oder erste Züge',
    kept: 'Gespeicherte Analysen',
    start: 'Neue Analyse',
    started: 'Neue Analyse.',
    unkept: 'Dein Browser speichert deine Arbeit nicht: Sein Speicher ist voll oder gesperrt. Exportiere, was du behalten willst.',
    none: 'Sonst ist noch nichts gespeichert. Eine Analyse wird gespeichert, sobald du sie änderst.',
    opened: (name) => `${name} ist geöffnet.`,
    remove: (name) => `${name} löschen`,
    removed: (name) => `${name} ist gelöscht.`,
    replaced: 'Eine andere Partie ist auf dem Brett.',
    rulesChanged: (rules) => `Die Züge sind weg: Für die Stellung gelten jetzt die ${rules}.`,
    deletedFrom: (san) => `${san} und alles danach ist gelöscht.`,
    promoted: (san) => `${san} gehört jetzt zur Hauptvariante.`,
    commented: 'Kommentar geändert.',
    erased: 'Zeichnung gelöscht.',
    redrawn: 'Zeichnung geändert.',
  },

  editor: {
    palette: 'Figuren',
    hand: 'Figuren bewegen',
    erase: 'Figuren entfernen',
    place: (piece, side) => pieceOf(side, piece),
    turn: 'Am Zug',
    castling: 'Rochade',
    rights: { K: 'Weiß O-O', Q: 'Weiß O-O-O', k: 'Schwarz O-O', q: 'Schwarz O-O-O' },
    clear: 'Leeres Brett',
    standard: 'Grundstellung',
    chess960: 'Chess960',
    use: 'Diese Stellung analysieren',
  },

  review: {
    start: 'Ganze Partie prüfen',
    stop: 'Anhalten',
    again: 'Noch einmal prüfen',
    effort: 'Aufwand',
    efforts: { quick: 'Kurz', normal: 'Mittel', deep: 'Gründlich' },
    progress: (done, all) => `Stellung ${done} von ${all}`,
    accuracy: (side, value) => `${side}: ${value} % Genauigkeit`,
    marks: { '?!': 'Ungenauigkeiten', '?': 'Fehler', '??': 'grobe Fehler' },
    best: 'Am besten war',
    lost: (points) => `verschenkt ${points} Punkte.`,
    forced: { missed: 'verpasst einen erzwungenen Gewinn.', allowed: 'erlaubt einen erzwungenen Gewinn.' },
    graph: 'Erwartetes Ergebnis für Weiß nach jedem Zug. Ein Klick führt zum Zug.',
    empty: 'Es gibt noch keine Züge zu prüfen.',
    none: 'Keine markierten Züge.',
    explained:
      'Die Zeichen richten sich danach, wie viele von 100 Punkten ein Zug verschenkt: ?! ab 10, ? ab 20, ?? ab 30. In einer gewonnenen oder verlorenen Stellung genügt weniger, und wer einen erzwungenen Gewinn verpasst oder erlaubt, bekommt immer ??.',
  },

  learn: {
    title: 'Aus Fehlern lernen',
    short: 'Lernen',
    begin: (side) => `Lernen aus den Fehlern von ${side}`,
    count: (n, all) => `Fehler ${n} von ${all}`,
    find: (san) => `Hier wurde ${san} gespielt. Finde einen besseren Zug.`,
    right: (san) => `${san} ist der beste Zug.`,
    alsoGood: (san) => `${san} ist ebenfalls gut.`,
    shown: (san) => `Der beste Zug ist ${san}.`,
    wrong: (san, reply) => `${san} ist nicht besser: ${reply} ist die Antwort.`,
    wrongPlain: (san) => `${san} ist nicht besser.`,
    done: 'Das war der letzte.',
    again: 'Noch einmal',
    solution: 'Besten Zug zeigen',
    next: 'Nächster Fehler',
    finish: 'Fertig',
    leave: 'Zurück zur Analyse',
  },

  puzzles: {
    title: 'Aufgaben',
    name: (id) => `Aufgabe ${id}`,
    find: (side) => `Finde den Gewinn für ${side}.`,
    before: (side, san) => `${side} hat ${san} gespielt.`,
    right: 'Richtig!',
    solved: 'Gelöst.',
    wrong: (san, reply) => `${san} gewinnt nicht: ${reply} ist die Antwort.`,
    wrongPlain: (san) => `${san} gewinnt nicht.`,
    tryAgain: 'Noch einmal',
    hint: 'Tipp',
    hintPiece: (piece, square) => lookAt(piece, square),
    solution: 'Lösung zeigen',
    next: 'Nächste Aufgabe',
    grade: 'Schwierigkeit',
    grades: ['Alle', 'Leicht', 'Mittel', 'Schwer', 'Sehr schwer'],
    streak: (n) => `Serie: ${n}`,
    solvedCount: (solved, tried) => `${solved} von ${tried} gelöst`,
    history: 'Verlauf',
    repeatCount: (n) => `Zu wiederholen: ${n}`,
    repeat: 'Jetzt wiederholen',
    unknown: (id) => `Diese Kopie der Seite hat keine Aufgabe „${id}“.`,
    random: 'Zufällige Aufgabe',
    none: 'Es gibt keine Aufgaben dieser Schwierigkeit.',
    missing: 'Diese Kopie der Seite enthält keine Aufgaben.',
    analyse: 'Analysieren',
    proved: (side, moves) =>
      `Bewiesen: ${side} gewinnt in ${moves === 1 ? 'einem Zug' : `höchstens ${moves} Zügen`}.`,
  },

  rules,
  about,

  settings: {
    title: 'Einstellungen',
    language: 'Sprache',
    languages: { en: 'English', de: 'Deutsch' },
    theme: 'Farben',
    themes: { system: 'System', light: 'Hell', dark: 'Dunkel' },
    board: 'Brett',
    boards: { brown: 'Braun', blue: 'Blau', green: 'Grün', grey: 'Grau' },
    coordinates: 'Koordinaten',
    animation: 'Animationen',
    sound: 'Töne',
    blastPreview: 'Vorschau der Explosion',
    autoQueen: 'Immer in eine Dame umwandeln; andere Figuren eintippen (e8=N)',
  },

  keys: {
    title: 'Tastenkürzel',
    list: [
      ['← →', 'voriger, nächster Zug'],
      ['↑ ↓', 'erste, letzte Stellung'],
      ['Leertaste', 'besten Zug spielen (Analyse)'],
      ['f', 'Brett drehen'],
      ['x', 'Drohung ein oder aus (Analyse)'],
      ['t', 'Gefahrenkarte'],
      ['d', 'Kreise und Pfeile zeichnen: dann m und e4 oder e2e4 (Analyse); Esc beendet es'],
      ['e', 'Engine ein oder aus (Analyse)'],
      ['m', 'Zug eintippen oder fragen: ?N wo die Springer sind, ?f7, ?7, ?f was dort steht'],
      ['Strg z', 'rückgängig (Analyse)'],
      ['?', 'diese Liste'],
    ],
  },
};

/** What the core answers, in the words of the core. */
const reasons: Record<string, string> = {
  'explodes your own king': 'Der Zug sprengt den eigenen König',
  'a king cannot capture': 'Ein König kann nicht schlagen',
  'leaves your king in check': 'Der König bliebe im Schach',
  'is not legal here': 'Der Zug ist hier nicht möglich',
};

const drawReasons: Record<string, string> = {
  stalemate: 'Patt',
  'insufficient material': 'zu wenig Material',
  'the fifty-move rule': '50 Züge ohne Schlagzug und Bauernzug',
  'threefold repetition': 'dreimal dieselbe Stellung',
};

const levels: Record<string, string> = {
  Beginner: 'Anfänger',
  Novice: 'Neuling',
  'Casual player': 'Gelegenheitsspieler',
  'Club player': 'Vereinsspieler',
  'Strong player': 'Starker Spieler',
  Master: 'Meister',
  'Full strength': 'Volle Stärke',
};

/** Of a side, before a masculine noun. */
function adjective(side: string): string {
  return side === 'Weiß' ? 'weiße' : 'schwarze';
}

function pieceOf(side: string, piece: string): string {
  return `${adjective(side)}${piece === 'Dame' ? '' : 'r'} ${piece}`;
}

function lookAt(piece: string, square: string): string {
  const article = piece === 'Dame' ? 'die' : 'den';
  return `Sieh dir ${article} ${piece}${piece === 'Bauer' ? 'n' : ''} auf ${square} an.`;
}
