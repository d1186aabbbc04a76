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

  class Game {
    constructor(section) {
      this.section = section;
      this.positions = JSON.parse(section.querySelector(".data").textContent);
      this.board = section.querySelector(".stage .board");
      this.scene = this.board.querySelector(".scene");
      this.labels = [...this.board.querySelectorAll("text")];
      this.moves = section.querySelector(".moves");
      this.flipped = false;
      this.ply = this.positions.length - 1;
      section.addEventListener("click", (event) => this.click(event));
      this.show(this.ply);
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

    draw(position) {
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
      this.scene.replaceChildren(...parts);
      this.labels.forEach((label, index) => {
        const at = this.flipped ? 7 - (index >> 1) : index >> 1;
        label.textContent = index % 2 ? 8 - at : "abcdefgh"[at];
      });
    }

    show(ply) {
      this.ply = Math.max(0, Math.min(this.positions.length - 1, ply));
      const position = this.positions[this.ply];
      this.draw(position);
      for (const part of ["headline", "remark", "line"]) {
        this.section.querySelector(".said ." + part).textContent = position[part];
      }
      this.board.setAttribute("aria-label", "Board: " + position.board + ". " + position.headline);
      const cursor = this.section.querySelector(".cursor");
      const last = Number(this.section.querySelector(".plot").dataset.last);
      cursor.style.left = (100 * this.ply) / last + "%";
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
  let current = games[0];

  const choice = document.getElementById("choice");
  function choose(index) {
    sections.forEach((section, other) => { section.hidden = other !== index; });
    current = games[index];
    current.show(current.ply);
  }
  if (choice) {
    choice.addEventListener("change", () => choose(Number(choice.value)));
    choose(Number(choice.value));
  }

  const KEYS = {
    ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", f: "flip",
  };
  document.addEventListener("keydown", (event) => {
    const busy = event.ctrlKey || event.altKey || event.metaKey || event.target.closest("select, input");
    if (busy || !(event.key in KEYS) || !current) return;
    event.preventDefault();
    current.go(KEYS[event.key]);
  });
})();
