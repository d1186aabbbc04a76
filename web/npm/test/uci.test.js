// UCI sessions in a worker: `stop` and `isready` during a search, errors, levels, the solver.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import Brisance from "../brisance.js";

const folder = process.env.BRISANCE_SYZYGY;
const noTables = existsSync(`${folder}/KQvK.atbw`) ? false : "BRISANCE_SYZYGY names no folder of tables";

/** An engine with its output, and a function that waits for a line. It ends with the test. */
async function start(context, options) {
    const engine = await Brisance(options);
    context.after(() => engine.terminate());
    const lines = [];
    const waiting = [];
    engine.addMessageListener((line) => {
        lines.push(line);
        for (const entry of [...waiting]) {
            if (!line.startsWith(entry.prefix)) continue;
            waiting.splice(waiting.indexOf(entry), 1);
            entry.resolve(line);
        }
    });
    const send = (...commands) => commands.forEach((command) => engine.postMessage(command));
    const line = (prefix) => new Promise((resolve) => waiting.push({ prefix, resolve }));
    return { lines, send, line };
}

const later = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("the handshake names the engine and its options", async (context) => {
    const { lines, send, line } = await start(context);
    const ok = line("uciok");
    send("uci");
    await ok;
    assert.ok(lines[0].startsWith("id name Brisance"), lines[0]);
    assert.ok(lines.some((text) => text.includes("UCI_Variant type combo default atomic")));
    const names = lines.filter((text) => text.startsWith("option ")).map((text) => text.split(" type ")[0].slice(12));
    assert.deepEqual(names, [
        "Hash", "Clear Hash", "Threads", "Ponder", "MultiPV", "Move Overhead", "nodestime", "Use NNUE", "RefutationBook",
        "UCI_Variant", "UCI_Chess960", "UCI_AnalyseMode", "UCI_ShowWDL", "Skill Level", "UCI_LimitStrength", "UCI_Elo",
    ]);
    assert.ok(lines.includes("option name Threads type spin default 1 min 1 max 1"));
    // WebAssembly has 4 GiB at most, for everything.
    assert.ok(lines.includes("option name Hash type spin default 16 min 1 max 1024"));
});

test("a search answers isready and obeys stop", async (context) => {
    const { lines, send, line } = await start(context);
    send("position startpos", "go infinite");
    await line("info depth 8");
    const ready = line("readyok");
    send("isready");
    await ready;
    assert.ok(!lines.some((text) => text.startsWith("bestmove")));
    const answer = line("bestmove");
    send("stop");
    assert.match(await answer, /^bestmove [a-h][1-8][a-h][1-8]/);
});

test("a finished infinite search and a ponder search wait", async (context) => {
    const { lines, send, line } = await start(context);
    send("position fen 7k/5N2/8/8/8/8/8/K5Q1 w - - 0 1", "go depth 1 infinite");
    await line("info depth 1");
    await later(100);
    assert.ok(!lines.some((text) => text.startsWith("bestmove")));
    let answer = line("bestmove");
    send("stop");
    await answer;
    send("position startpos", "go ponder wtime 500 btime 500");
    await line("info depth 5");
    answer = line("bestmove");
    send("ponderhit");
    await answer;
});

test("commands that follow a search are executed after it", async (context) => {
    const { lines, send, line } = await start(context);
    const done = line("Nodes searched: 8902");
    send("position startpos", "go nodes 20000", "go perft 3");
    await done;
    assert.equal(lines.filter((text) => text.startsWith("bestmove")).length, 1);
});

test("a forced win is proved", async (context) => {
    const { lines, send, line } = await start(context);
    const answer = line("bestmove");
    send("position startpos moves g1f3 a7a6", "go mate 2");
    assert.match(await answer, /^bestmove f3[a-h][1-8]/);
    assert.ok(lines.some((text) => text.includes("score mate 2")), lines.join("\n"));
});

test("bad input gets an error and changes nothing", async (context) => {
    const { lines, send, line } = await start(context);
    const ready = line("readyok");
    send("position fen nonsense", "setoption name Threads value 2", "setoption name SyzygyPath value /x", "isready");
    await ready;
    const errors = lines.filter((text) => text.startsWith("info string error"));
    assert.equal(errors.length, 3, lines.join("\n"));
    const answer = line("bestmove");
    send("go depth 3");
    await answer;
});

test("one node gives a score and a sensible move", async (context) => {
    const { lines, send, line } = await start(context);
    const answer = line("bestmove");
    send("position fen 8/8/8/3k2n1/8/B1B5/1B1B4/K1B1B3 w - - 0 1", "go nodes 1");
    await answer;
    const score = lines.map((text) => text.match(/ score cp (-?\d+) /)).find((found) => found);
    assert.ok(Number(score[1]) > 100, lines.join("\n"));
});

test("two engines work side by side", async (context) => {
    const both = await Promise.all([start(context), start(context)]);
    const answers = both.map(({ line }) => line("bestmove"));
    both.forEach(({ send }) => send("position startpos", "go depth 8"));
    const [first, second] = await Promise.all(answers);
    assert.equal(first, second);
});

test("an engine gets tables when it starts, and refuses what is none", { skip: noTables }, async (context) => {
    const read = (name) => ({ name, content: readFileSync(`${folder}/${name}`) });
    const tables = [read("KQvK.atbw"), read("KQvK.atbz")];
    const { lines, send, line } = await start(context, { tables });
    const answer = line("bestmove");
    send("position fen 8/8/8/8/3k4/8/8/K6Q w - - 0 1", "go depth 4");
    await answer;
    assert.ok(lines.some((text) => / tbhits [1-9]/.test(text)), lines.join("\n"));
    await assert.rejects(start(context, { tables: [{ name: "KQvK.atbw", content: new Uint8Array(3) }] }), /KQvK/);
});

test("the terminal program and require", async () => {
    const program = fileURLToPath(new URL("../cli.js", import.meta.url));
    const output = execFileSync(process.execPath, [program, "position startpos", "go depth 4"], { encoding: "utf8" });
    assert.match(output.trim().split("\n").at(-1), /^bestmove/);
    const piped = execFileSync(process.execPath, [program], { input: "uci\ngo depth 2\n", encoding: "utf8" });
    assert.match(piped, /uciok\n[^]*bestmove/);
    const engine = await createRequire(import.meta.url)("../brisance.cjs")();
    engine.terminate();
});

/** The exit code and the output of the terminal program. */
function run(...lines) {
    const program = fileURLToPath(new URL("../cli.js", import.meta.url));
    return spawnSync(process.execPath, [program, ...lines], { input: "", encoding: "utf8" });
}

test("help, version and exit codes of the terminal program", () => {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    for (const name of ["--version", "-V"]) {
        const { status, stdout, stderr } = run(name);
        assert.deepEqual([status, stdout, stderr], [0, `brisance ${version}\n`, ""]);
    }
    for (const name of ["--help", "-h"]) {
        const { status, stdout, stderr } = run(name);
        assert.deepEqual([status, stderr], [0, ""]);
        assert.match(stdout, /Usage: brisance/);
        assert.ok(stdout.split("\n").every((line) => line.length <= 100));
    }
    for (const name of ["foo", "analyse", "--nodes", ""]) {
        const { status, stdout, stderr } = run(name, "quit");
        assert.deepEqual([status, stdout], [2, ""]);
        assert.ok(stderr.startsWith(`error: ${JSON.stringify(name)} is not a UCI command`), stderr);
    }
    for (const [line, expected] of [["position fen nonsense", 2], ["setoption name Threads value 2", 2], ["go nodes 1", 0]]) {
        const { status, stdout } = run(line, "QUIT");
        assert.equal(status, expected, stdout);
        assert.equal(stdout.includes("info string error"), expected === 2);
    }
    assert.equal(run().status, 0);
});

test("a reader that goes away ends the terminal program, a full disk is a failure", { skip: process.platform !== "linux" }, () => {
    const program = fileURLToPath(new URL("../cli.js", import.meta.url));
    const shell = (script) => {
        const { stdout, stderr } = spawnSync("bash", ["-c", script, "bash", process.execPath, program], { encoding: "utf8" });
        return [stdout, stderr];
    };
    assert.deepEqual(shell('"$@" "go depth 12" | head -n 0; echo ${PIPESTATUS[0]}'), ["0\n", ""]);
    for (const argument of ["go depth 1", "--help"]) {
        const [codes, errors] = shell(`"$@" "${argument}" > /dev/full; echo $?`);
        assert.equal(codes, "1\n");
        assert.match(errors, /^error: cannot write the output: .*ENOSPC.*\n$/);
    }
});
