"use strict";
// Each game has its own board; the keys move the one that is shown.
(() => {
  const SVG = "http://www.w3.org/2000/svg";

  function element(name, attributes) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  }

  // "e4" to file and rank, both from 0.
  const place = (name) => [name.charCodeAt(0) - 97, name.charCodeAt(1) - 49];

  // The pieces of a FEN's board field as [letter, file, rank].
  function pieces(field) {
    const found = [];
    field.split("/").forEach((row, index) => {
      let file = 0;
      for (const letter of row) {
        if (letter >= "1" && letter <= "8") file += Number(letter);
        else found.push([letter, file++, 7 - index]);
      }
    });
    return found;
  }

  const squareName = (file, rank) => "abcdefgh"[file] + (rank + 1);

  // The board field of a FEN from a map of square names to letters.
  function boardField(board) {
    const rows = [];
    for (let rank = 7; rank >= 0; rank--) {
      let row = "";
      for (let file = 0; file < 8; file++) row += board.get(squareName(file, rank)) || "1";
      rows.push(row.replace(/1+/g, (empty) => empty.length));
    }
    return rows.join("/");
  }

  // The position after a legal move in coordinate notation; castling is king takes rook.
  function play(position, move) {
    const board = new Map(pieces(position.board).map(([letter, file, rank]) => [squareName(file, rank), letter]));
    const [from, to] = [move.slice(0, 2), move.slice(2, 4)];
    const [letter, target] = [board.get(from), board.get(to)];
    const isWhite = letter < "a";
    const rank = from[1];
    board.delete(from);
    if (letter.toLowerCase() === "k" && target === (isWhite ? "R" : "r")) {
      const [king, rook] = to > from ? ["g", "f"] : ["c", "d"];
      board.delete(to);
      board.set(king + rank, letter);
      board.set(rook + rank, target);
      return { board: boardField(board), last: [from, king + rank] };
    }
    const enPassant = letter.toLowerCase() === "p" && from[0] !== to[0] && !target && to[0] + rank;
    if (!target && !enPassant) {
      const promoted = move[4] && (isWhite ? move[4].toUpperCase() : move[4]);
      board.set(to, promoted || letter);
      return { board: boardField(board), last: [from, to] };
    }
    const removed = [letter + from];
    const remove = (square) => {
      removed.push(board.get(square) + square);
      board.delete(square);
    };
    remove(enPassant || to);
    const [file, row] = place(to);
    for (const [name, other] of [...board]) {
      const [x, y] = place(name);
      const near = Math.max(Math.abs(x - file), Math.abs(y - row)) <= 1;
      if (near && other.toLowerCase() !== "p") remove(name);
    }
    return { board: boardField(board), last: [from, to], blast: to, removed };
  }

  class Game {
    constructor(section) {
      this.section = section;
      const data = JSON.parse(section.querySelector(".data").textContent);
      this.positions = data.positions;
      this.board = section.querySelector(".stage .board");
      this.scene = this.board.querySelector(".scene");
      this.moves = section.querySelector(".moves");
      this.flipped = data.flipped;
      this.ply = 0;
      // The line whose moves are on the board, and the last of them.
      this.line = null;
      this.index = 0;
      this.hasPoints = false;
      section.addEventListener("click", (event) => this.click(event));
    }

    // The first time that the game is shown.
    drawPoints() {
      if (this.hasPoints) return;
      this.hasPoints = true;
      for (const figure of this.section.querySelectorAll("figure[data-at]")) {
        const ply = Number(figure.dataset.at);
        const board = this.board.cloneNode(true);
        board.setAttribute("aria-label", figure.dataset.label);
        figure.prepend(board);
        const better = figure.dataset.better;
        const position = better ? play(this.positions[ply - 1], better) : this.positions[ply];
        this.draw(position, board.querySelector(".scene"));
      }
      for (const place of this.section.querySelectorAll(".lines[data-at]")) {
        this.drawLines(place, this.positions[Number(place.dataset.at)].lines || []);
      }
    }

    // Fills an element with lines whose moves are buttons.
    drawLines(place, lines) {
      place.replaceChildren(...lines.map((line) => {
        const paragraph = document.createElement("p");
        paragraph.className = "line";
        paragraph.append(line.label + " ");
        line.moves.forEach(([text, move], index) => {
          if (!move) {
            paragraph.append(text + " ");
            return;
          }
          const button = document.createElement("button");
          button.type = "button";
          button.textContent = text;
          button.addEventListener("click", () => this.explore(line, index));
          paragraph.append(button, " ");
        });
        return paragraph;
      }));
    }

    // Shows the position after a move of a line.
    explore(line, index) {
      let position = this.positions[line.base];
      const before = line.from || [];
      const played = line.moves.slice(0, index + 1).map((entry) => entry[1]);
      for (const move of [...before, ...played]) if (move) position = play(position, move);
      this.line = line;
      this.index = index;
      this.draw(position, this.scene);
      const headline = line.label + " " + line.moves[index][0];
      this.section.querySelector(".said .headline").textContent = headline;
      this.board.setAttribute("aria-label", "Board: " + position.board + ". " + headline);
      this.board.scrollIntoView({ block: "nearest" });
    }

    // One move back or on in the line that is explored.
    step(distance) {
      let index = this.index + distance;
      const moves = this.line.moves;
      while (moves[index] && !moves[index][1]) index += distance;
      if (index < 0) this.show(this.line.base);
      else if (index < moves.length) this.explore(this.line, index);
    }

    corner(file, rank) {
      return this.flipped ? [(7 - file) * 100, rank * 100] : [file * 100, (7 - rank) * 100];
    }

    square(kind, name) {
      const [x, y] = this.corner(...place(name));
      if (kind === "last") return element("rect", { class: kind, x, y, width: 100, height: 100 });
      return element("use", { href: "#" + kind, x, y });
    }

    piece(letter, file, rank, rest) {
      const [x, y] = this.corner(file, rank);
      const side = letter < "a" ? "white" : "black";
      return element("use", { href: "#piece-" + letter.toLowerCase(), class: side + rest, x, y });
    }

    area(name) {
      const [file, rank] = place(name);
      const [f0, f1] = [Math.max(0, file - 1), Math.min(7, file + 1)];
      const [r0, r1] = [Math.max(0, rank - 1), Math.min(7, rank + 1)];
      const corners = [this.corner(f0, r0), this.corner(f1, r1)];
      const x = Math.min(corners[0][0], corners[1][0]);
      const y = Math.min(corners[0][1], corners[1][1]);
      return element("rect", {
        class: "blast", x: x + 3, y: y + 3, rx: 14,
        width: (f1 - f0 + 1) * 100 - 6, height: (r1 - r0 + 1) * 100 - 6,
      });
    }

    draw(position, scene) {
      const parts = [];
      for (const name of position.last || []) parts.push(this.square("last", name));
      if (position.check) parts.push(this.square("check", position.check));
      if (position.blast) parts.push(this.area(position.blast), this.square("burst", position.blast));
      for (const piece of position.removed || []) {
        parts.push(this.piece(piece[0], ...place(piece.slice(1)), " gone"));
      }
      for (const [letter, file, rank] of pieces(position.board)) {
        parts.push(this.piece(letter, file, rank, ""));
      }
      scene.replaceChildren(...parts);
      const labels = scene.closest("svg").querySelectorAll("text");
      labels.forEach((label, index) => {
        const at = this.flipped ? 7 - (index >> 1) : index >> 1;
        label.textContent = index % 2 ? 8 - at : "abcdefgh"[at];
      });
    }

    show(ply) {
      this.drawPoints();
      this.line = null;
      this.ply = Math.max(0, Math.min(this.positions.length - 1, ply));
      const position = this.positions[this.ply];
      this.draw(position, this.scene);
      for (const part of ["headline", "remark", "note"]) {
        this.section.querySelector(".said ." + part).textContent = position[part] || "";
      }
      const lines = [...(position.lines || []), ...(position.variations || [])];
      this.drawLines(this.section.querySelector(".said .lines"), lines);
      this.board.setAttribute("aria-label", "Board: " + position.board + ". " + position.headline);
      history.replaceState(null, "", "#" + this.section.dataset.game + "." + this.ply);
      const cursor = this.section.querySelector(".cursor");
      const last = Number(this.section.querySelector(".plot").dataset.last);
      cursor.style.left = (100 * this.ply) / Math.max(1, last) + "%";
      for (const old of this.moves.querySelectorAll("[aria-current]")) {
        old.removeAttribute("aria-current");
      }
      const chosen = this.moves.querySelector('[data-ply="' + this.ply + '"]');
      if (!chosen) {
        this.moves.scrollTop = 0;
        return;
      }
      chosen.setAttribute("aria-current", "true");
      const row = chosen.parentElement;
      const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
      if (top < this.moves.scrollTop) this.moves.scrollTop = top;
      if (bottom > this.moves.scrollTop + this.moves.clientHeight) {
        this.moves.scrollTop = bottom - this.moves.clientHeight;
      }
    }

    go(where) {
      if (where === "flip") this.flipped = !this.flipped;
      if (where === "flip" && this.line) return this.explore(this.line, this.index);
      if (this.line && where === "back") return this.step(-1);
      if (this.line && where === "on") return this.step(1);
      const targets = { first: 0, back: this.ply - 1, on: this.ply + 1, last: this.positions.length - 1 };
      this.show(where in targets ? targets[where] : this.ply);
    }

    click(event) {
      const button = event.target.closest("button");
      const plot = event.target.closest(".plot");
      if (button && button.dataset.ply) {
        this.show(Number(button.dataset.ply));
        if (button.closest(".points")) this.board.scrollIntoView({ block: "nearest" });
      } else if (button && button.dataset.go) {
        this.go(button.dataset.go);
      } else if (plot) {
        const box = plot.getBoundingClientRect();
        const share = (event.clientX - box.left) / box.width;
        this.show(Math.round(share * Number(plot.dataset.last)));
      }
    }
  }

  const sections = [...document.querySelectorAll(".game")];
  const games = sections.map((section) => new Game(section));
  const choice = document.getElementById("choice");
  let current = games[0];

  function choose(index) {
    sections.forEach((section, other) => { section.hidden = other !== index; });
    current = games[index];
    if (choice) choice.value = String(index);
    current.show(current.ply);
  }

  // "#2.17" is the second game after its 17th half-move.
  function follow() {
    const found = /^#(\d+)\.(\d+)$/.exec(location.hash);
    const index = found ? sections.findIndex((section) => section.dataset.game === found[1]) : -1;
    if (index >= 0) games[index].ply = Number(found[2]);
    if (games.length) choose(index >= 0 ? index : games.indexOf(current));
  }
  if (choice) choice.addEventListener("change", () => choose(Number(choice.value)));
  addEventListener("hashchange", follow);
  follow();

  const KEYS = {
    ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", f: "flip", Escape: "stay",
  };
  document.addEventListener("keydown", (event) => {
    const busy = event.ctrlKey || event.altKey || event.metaKey || event.target.closest("select, input");
    if (busy || !(event.key in KEYS) || !current) return;
    event.preventDefault();
    current.go(KEYS[event.key]);
  });
})();
