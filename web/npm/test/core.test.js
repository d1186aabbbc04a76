// Requests, judged by chessops: legal moves, explosions, SAN and outcomes of random games.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { chessgroundDests } from "chessops/compat";
import { makeFen, parseFen } from "chessops/fen";
import { makeSan } from "chessops/san";
import { makeUci, parseSquare, parseUci } from "chessops/util";
import { Atomic } from "chessops/variant";
import { createCore } from "../core.js";

const core = await createCore();
const call = (request) => {
    const reply = core.call(request);
    assert.equal(reply.error, undefined, `${JSON.stringify(request)}: ${reply.error}`);
    return reply;
};

/** A small seeded generator of random numbers below a limit. */
function generator(seed) {
    let state = seed;
    return (limit) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * limit);
    };
}

test("random games agree with chessops", () => {
    const random = generator(7);
    for (let game = 0; game < 12; game++) {
        const pos = Atomic.default();
        const moves = [];
        for (;;) {
            const reply = call({ do: "position", moves });
            assert.equal(reply.fen.split(" ").slice(0, 3).join(" "), makeFen(pos.toSetup()).split(" ").slice(0, 3).join(" "));
            const outcome = pos.outcome();
            if (outcome) assert.equal(reply.outcome?.winner ?? undefined, outcome.winner);
            if (reply.outcome) break;
            const expected = new Map([...chessgroundDests(pos)].map(([from, to]) => [from, [...to].sort()]));
            const found = new Map(Object.entries(reply.legal).map(([from, to]) => [from, [...to].sort()]));
            assert.deepEqual([...found].sort(), [...expected].sort(), reply.fen);
            assert.equal(reply.check, pos.isCheck(), reply.fen);
            const chosen = reply.moves[random(reply.moves.length)];
            const move = parseUci(chosen.uci);
            const san = makeSan(pos, move);
            assert.equal(chosen.san.replace(/[+#]$/, ""), san.replace(/[+#]$/, ""));
            const before = pos.board.occupied;
            pos.play(move);
            if (chosen.capture) {
                const gone = [...before.diff(pos.board.occupied)].sort((a, b) => a - b);
                const losses = chosen.losses.map(({ square }) => parseSquare(square)).sort((a, b) => a - b);
                assert.deepEqual(losses, gone, `${reply.fen} ${chosen.uci}`);
            }
            moves.push(makeUci(move));
        }
    }
});

test("castling is offered in both notations", () => {
    const reply = call({ do: "position", fen: "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1" });
    for (const to of ["g1", "h1", "c1", "a1"]) assert.ok(reply.legal.e1.includes(to), to);
    const castle = reply.moves.find(({ san }) => san === "O-O").castle;
    assert.deepEqual(castle, { king: ["e1", "g1"], rook: ["h1", "f1"] });
});

test("a position explains what is not allowed and what is in danger", () => {
    const reply = call({ do: "position", moves: ["Nf3", "a6", "Ng5", "a5"] });
    const threat = reply.danger.filter(({ attackers }) => attackers.length > 0);
    assert.deepEqual(threat.map(({ color, square, attackers }) => [color, square, attackers]), [["black", "f7", ["g5"]]]);
    const winning = reply.moves.find(({ uci }) => uci === "g5f7");
    assert.deepEqual([winning.explodesKing, winning.endsGame], [true, "explosion"]);
    const own = call({ do: "position", fen: "4k3/8/8/8/8/8/3p4/3QK3 w - - 0 1" });
    assert.ok(own.forbidden.some(({ from, to, reason }) => from === "d1" && to === "d2" && reason === "explodes your own king"));
});

test("each end of a game has a code", () => {
    const knights = ["g1f3", "g8f6", "f3g1", "f6g8"];
    for (const [reason, winner, start] of [
        ["explosion", "white", { moves: ["Nf3", "a6", "Ng5", "a5", "Nxf7"] }],
        ["checkmate", "white", { fen: "BQ6/Rk6/8/8/8/8/8/4K3 b - - 0 1" }],
        ["stalemate", null, { fen: "7k/8/6Q1/8/8/8/8/K7 b - - 0 1" }],
        ["insufficient-material", null, { fen: "4k3/8/8/8/8/8/8/4K3 w - - 0 1" }],
        ["fifty-moves", null, { fen: "4k3/7p/8/8/8/8/3R4/4K2R w - - 100 80" }],
        ["repetition", null, { moves: [...knights, ...knights] }],
    ]) {
        const { outcome } = call({ do: "position", ...start });
        assert.deepEqual([outcome.reason, outcome.winner], [reason, winner]);
    }
});

test("the fields of a bad FEN are named", () => {
    for (const [fen, field] of [
        ["", "number of fields"],
        ["8/8 w", "piece placement"],
        ["rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "piece placement"],
        ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", "side to move"],
    ]) {
        const reply = core.call({ do: "fen", fen });
        assert.equal(reply.field, field, JSON.stringify(reply));
    }
    const reply = call({ do: "fen", fen: "4k3/8/8/8/8/8/8/4K2R w KQ e3" });
    assert.equal(reply.fen, "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    assert.equal(reply.warnings.length, 2);
    assert.match(reply.warnings[0], /Q has no matching rook/);
    assert.ok(parseFen(call({ do: "chess960", number: 17 }).fen).isOk);
});

test("a game survives writing and reading", () => {
    const text =
        '[Event "?"]\n[White "A"]\n[Variant "Atomic"]\n[Result "1-0"]\n\n' +
        "1. Nf3 { usual } 1... a6 (1... f6 2. Nd4 $14) 2. Ng5! a5 3. Nxf7# 1-0\n\n";
    const { games, errors } = call({ do: "pgn_read", text });
    assert.deepEqual(errors, []);
    assert.equal(games[0].moves[1].variations[0].moves[1].nags[0], 14);
    const { pgn } = call({ do: "pgn_write", ...games[0] });
    assert.equal(pgn, text);
});

test("levels, scores, book, solver and marks", () => {
    const { levels } = call({ do: "levels" });
    assert.equal(levels.length, 21);
    assert.equal(levels.at(-1).elo, null);
    const { win, draw, loss } = call({ do: "wdl", cp: 100 });
    assert.deepEqual([win, win + draw + loss], [500, 1000]);
    assert.equal(call({ do: "book" }).moves[0].san, "Nf3");
    const proof = call({ do: "solve", moves: ["Nf3", "a6"], maxMoves: 2 });
    assert.equal(proof.verdict, "proved");
    assert.match(proof.san.at(-1), /#$/);
    const judged = call({
        do: "judge",
        moves: ["Nf3", "a6"],
        evals: [{ cp: 90, best: "g1f3" }, { cp: -90, best: "f7f6" }, { mate: 2 }],
    });
    assert.deepEqual(judged.moves.map(({ mark }) => mark), [null, "??"]);
    assert.deepEqual([judged.moves[0].loss, judged.accuracy.white], [0, 100]);
    assert.ok(judged.accuracy.black < 10);
});

test("a book move has a share, and its distance from the best", () => {
    const { moves } = call({ do: "book" });
    assert.deepEqual([moves[0].san, moves[0].behind], ["Nf3", 0]);
    assert.ok(moves.slice(1).every(({ behind, share }) => behind > 0 && share < moves[0].share));
    // What the weights of another book mean is unknown.
    core.load("own.bin", readFileSync(new URL("../../../book/brisance.bin", import.meta.url)));
    assert.equal(call({ do: "book" }).moves[0].behind, null);
    core.unload("own.bin");
    assert.equal(call({ do: "book" }).moves[0].behind, 0);
});

test("the refutation book knows which moves lose by force, and why", () => {
    const { win, losing } = call({ do: "refutations", moves: ["Nf3"] });
    assert.equal(win, null);
    assert.equal(losing.length, 17);
    for (const { uci, san, moves, line, lineSan } of losing) {
        assert.ok(moves <= 3 && line.length === 2 * moves - 1, san);
        // chessops plays the line: it ends with an exploded king or mate.
        const pos = Atomic.default();
        for (const move of ["g1f3", uci, ...line]) {
            assert.ok(pos.isLegal(parseUci(move)), `${san}: ${move}`);
            pos.play(parseUci(move));
        }
        assert.equal(pos.outcome()?.winner, "white", san);
        assert.match(lineSan.at(-1), /#$/);
        // After the move the side to move has the same win.
        const after = call({ do: "refutations", moves: ["Nf3", san] }).win;
        assert.deepEqual(after, { moves, line, lineSan });
    }
    assert.equal(losing.find(({ san }) => san === "f5").lineSan[0], "Ne5");
    const none = { win: null, losing: [] };
    assert.deepEqual(call({ do: "refutations", variant: "nocheckatomic", moves: ["Nf3"] }), none);
    assert.deepEqual(call({ do: "refutations", moves: ["Nf3", "a6", "Ng5", "a5", "Nxf7#"] }), none);
});

test("a book that is taken away leaves the built-in one", () => {
    const moves = () => call({ do: "book" }).moves.map(({ san }) => san);
    const before = moves();
    assert.ok(before.length > 1);
    const entries = readFileSync(new URL("../../../book/brisance.bin", import.meta.url));
    core.load("own.bin", entries.subarray(0, 16));
    assert.notDeepEqual(moves(), before);
    core.unload("own.bin");
    assert.deepEqual(moves(), before);
});

test("bad requests name what is wrong", () => {
    for (const [request, part] of [
        [{ do: "dance" }, "dance"],
        [{ do: "position", moves: ["e5"] }, "e5"],
        [{ do: "position", variant: "chess" }, "chess"],
        [{ do: "chess960", number: 960 }, "960"],
        [{ do: "judge", moves: ["e4"], evals: [] }, "expected 2"],
        [{ do: "pgn_write", moves: [{ san: "e4" }], result: "2-0" }, "2-0"],
    ]) {
        assert.ok(core.call(request).error.includes(part), JSON.stringify(core.call(request)));
    }
    assert.match(core.load("x.txt", new Uint8Array(3)).error, /x\.txt/);
    assert.match(core.load("KQvK.atbw", new Uint8Array(3)).error, /KQvK/);
});
