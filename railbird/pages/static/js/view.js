// Draws the model. Everything that came from elsewhere is set as text.

import { cardFace, emptyPlace } from "./cards.js";
import { chips, who, words } from "./log.js";
import { nameOf, winnings } from "./model.js";
import { Seat, element, setText } from "./seat.js";

const byId = (id) => document.getElementById(id);

export class TableView {
  constructor() {
    this.parts = Object.fromEntries(["stage", "seats", "board", "pot", "banner", "hand", "street", "options", "blinds"].map((id) => [id, byId(id)]));
    this.seats = [];
    this.drawnBoard = null;
  }

  draw(model) {
    if (!model.state || !model.rules) return;
    this.drawSeats(model);
    this.drawBoard(model.board);
    this.drawMiddle(model);
    this.drawOptions(model);
  }

  drawSeats(model) {
    const many = model.rules.maxSeats;
    if (this.seats.length !== many) {
      this.seats = Array.from({ length: many }, (_, number) => new Seat(number, many));
      this.parts.seats.replaceChildren(...this.seats.map((seat) => seat.root));
      this.parts.stage.dataset.seats = many;
    }
    for (const drawn of this.seats) {
      const seat = model.state.seats.find((each) => each.seat === drawn.number) ?? null;
      const beside = model.seats.get(drawn.number) ?? { live: false };
      drawn.draw({ seat, beside, model, own: model.own.has(drawn.number), toAct: !model.result && model.state.toAct === drawn.number });
    }
  }

  drawBoard(board) {
    const wanted = board.join(" ");
    if (wanted === this.drawnBoard) return;
    const before = (this.drawnBoard ?? "").split(" ").filter(Boolean);
    this.drawnBoard = wanted;
    const goesOn = before.every((card, at) => board[at] === card);
    if (!goesOn) this.parts.board.replaceChildren();
    const kept = goesOn ? before.length : 0;
    while (this.parts.board.childElementCount > kept) this.parts.board.lastElementChild.remove();
    for (let at = kept; at < 5; at += 1) this.parts.board.append(at < board.length ? cardFace(board[at]) : emptyPlace());
  }

  drawMiddle(model) {
    const { state, result } = model;
    setText(this.parts.hand, model.handNumber ? `Hand ${model.handNumber}` : "");
    setText(this.parts.street, result ? "showdown".slice(0, result.uncontested ? 0 : 8) : (state.street ?? ""));
    this.drawPots(model);
    this.drawBanner(model);
  }

  drawPots({ state, result }) {
    const pots = result ? result.pots : state.pots;
    const total = result ? pots.reduce((sum, pot) => sum + pot.amount, 0) : state.pot;
    const parts = total ? [labelled("Pot", total)] : [];
    if (pots.length > 1) parts.push(...pots.map((pot, at) => labelled(at ? `Side ${at}` : "Main", pot.amount, "small")));
    this.parts.pot.replaceChildren(...parts);
  }

  // One line below the board: who won, what the table waits for, or what was thought last.
  drawBanner(model) {
    const { state, result, thought } = model;
    if (result) return this.say("won", winnings(result).flatMap(({ seat, amount }, at) => [...(at ? [" · "] : []), who(nameOf(model, seat)), ` wins ${chips(amount)}`]));
    if (state.street) return thought ? this.say("saying", [who(nameOf(model, thought.seat)), " ", words(thought.text)]) : this.say("", []);
    const ready = state.seats.filter((seat) => seat.stack > 0).length;
    const waits = state.status !== "open" ? `The table is ${state.status}` : ready < 2 ? "Waiting for players" : "";
    this.say("", waits ? [waits] : []);
  }

  say(kind, parts) {
    this.parts.banner.className = `banner ${kind}`;
    this.parts.banner.replaceChildren(...parts);
  }

  drawOptions({ rules }) {
    setText(this.parts.blinds, `${chips(rules.smallBlind)}/${chips(rules.bigBlind)}${rules.ante ? ` ante ${chips(rules.ante)}` : ""}`);
    this.parts.stage.classList.toggle("thoughts-shown", rules.showThoughts === true);
    const tags = [];
    if (rules.showHands) tags.push("hands shown");
    if (rules.showThoughts) tags.push("thoughts shown");
    if (rules.spectatorDelayMs) tags.push(`${Math.round(rules.spectatorDelayMs / 1000)} s late`);
    if (tags.join() !== this.drawnTags) {
      this.drawnTags = tags.join();
      this.parts.options.replaceChildren(...tags.map((tag) => Object.assign(element("span", "tag"), { textContent: tag })));
    }
  }

  drawClock(model, nowMs) {
    const { state, rules, result } = model;
    if (!state || !rules) return;
    for (const seat of this.seats) {
      const runs = !result && state.toAct === seat.number && state.turnEndsAt !== undefined;
      seat.clock(runs ? Math.max(0, Math.min(1, (state.turnEndsAt - nowMs) / rules.turnMs)) : null);
    }
  }
}

function labelled(label, amount, kind = "") {
  const part = element("span", `amount ${kind}`);
  part.append(`${label} `, Object.assign(element("b", ""), { textContent: chips(amount) }));
  return part;
}
