// One seat around the table. It is made once and then brought up to date; positions are numbers in custom properties.

import { cardBack, cardFace } from "./cards.js";
import { chips } from "./log.js";

const SVG = "http://www.w3.org/2000/svg";
const LONG_NAME = 20; // characters; above it two lines of the usual size may be too few
const STATUS = {
  waiting_big_blind: "waits for the big blind", posting: "will post", sitting_out: "sitting out", away: "away",
  no_chips: "out of chips", all_in: "all-in", folded: "folded", leaving: "leaving",
};

export class Seat {
  constructor(number, of) {
    this.number = number;
    this.root = element("li", "seat empty");
    this.root.dataset.seat = number;
    place(this.root, number, of);
    this.cards = element("span", "cards");
    this.pod = element("span", "pod");
    this.avatar = element("span", "avatar");
    this.letter = element("span", "letter");
    this.ring = ring();
    this.avatar.append(this.letter, this.ring);
    this.name = element("bdi", "name");
    this.stack = element("span", "stack");
    this.last = element("span", "last");
    this.pod.append(this.avatar, this.name, this.stack, this.last);
    this.bet = element("span", "bet");
    this.dealer = element("span", "dealer");
    this.dealer.textContent = "D";
    this.dealer.title = "dealer button";
    this.root.append(this.cards, this.pod, this.bet, this.dealer);
    this.drawnCards = "";
  }

  draw(view) {
    const { seat, beside, model, toAct } = view;
    this.root.className = ["seat", ...classes(view)].join(" ");
    this.dealer.hidden = model.state.button !== this.number;
    if (!seat) {
      this.root.setAttribute("aria-label", `Seat ${this.number + 1}, free`);
      setText(this.name, `Seat ${this.number + 1}`);
      setText(this.stack, "free");
      for (const part of [this.letter, this.last, this.bet]) setText(part, "");
      this.drawCards([]);
      return;
    }
    setText(this.name, seat.name);
    this.name.classList.toggle("long", seat.name.length > LONG_NAME);
    this.name.title = seat.model ? `${seat.name} · ${seat.kind}, model ${seat.model}` : `${seat.name} · ${seat.kind}`;
    setText(this.letter, initial(seat.name) ?? String(this.number + 1));
    setNumber(this.avatar, "--hue", hue(seat.name));
    setText(this.stack, chips(seat.stack));
    setText(this.last, lastWords(seat, beside, toAct));
    setText(this.bet, seat.bet ? chips(seat.bet) : "");
    this.drawCards(cardsOf(beside, model));
    this.root.setAttribute("aria-label", inWords(view));
  }

  drawCards(cards) {
    const wanted = cards.join(" ");
    if (wanted === this.drawnCards) return;
    this.drawnCards = wanted;
    this.cards.replaceChildren(...cards.map((card) => (card === "?" ? cardBack() : cardFace(card))));
  }

  // `left`: the share of the clock that is left, or null where no clock runs.
  clock(left) {
    const drawing = left === null ? "0" : left.toFixed(3);
    if (this.ring.dataset.left === drawing) return;
    this.ring.dataset.left = drawing;
    this.ring.lastElementChild.setAttribute("stroke-dasharray", `${drawing} 1`);
    this.ring.classList.toggle("short", left !== null && left < 0.25);
  }
}

function classes({ seat, beside, toAct, own, model }) {
  if (!seat) return ["empty"];
  return [
    seat.status.replaceAll("_", "-"),
    seat.kind,
    ...(own ? ["own"] : []),
    ...(toAct ? ["to-act"] : []),
    ...(beside.won ? ["won"] : []),
    ...(model.result && !beside.won ? ["not-won"] : []),
    ...(seat.connected ? [] : ["offline"]),
    ...(beside.cards ? ["shown"] : []),
  ];
}

function cardsOf(beside, model) {
  if (beside.cards?.length) return beside.cards;
  return beside.live && (model.state.street || model.result) ? ["?", "?"] : [];
}

function lastWords(seat, beside, toAct) {
  if (beside.won) return `+${chips(beside.won)}`;
  if (toAct) return "to act";
  if (!seat.connected) return "offline";
  if (STATUS[seat.status]) return STATUS[seat.status];
  if (!beside.last) return "";
  return beside.last.amount ? `${beside.last.action} ${chips(beside.last.amount)}` : beside.last.action;
}

function inWords({ seat, beside, model, own, toAct }) {
  const parts = [`Seat ${seat.seat + 1}`, seat.name, ...(own ? ["your agent"] : []), `${chips(seat.stack)} chips`];
  if (seat.bet) parts.push(`bet ${chips(seat.bet)}`);
  if (model.state.button === seat.seat) parts.push("dealer button");
  const said = lastWords(seat, beside, toAct);
  if (said) parts.push(said);
  return parts.join(", ");
}

// Seat 0 is at the bottom, the others follow clockwise. A little squarer than an ellipse, so that corners are used.
function place(root, number, of) {
  const angle = Math.PI / 2 + (2 * Math.PI * number) / of;
  const [x, y] = [squarer(Math.cos(angle)), squarer(Math.sin(angle))];
  setNumber(root, "--x", x);
  setNumber(root, "--y", y);
  const beside = angle + 0.42;
  setNumber(root, "--dx", squarer(Math.cos(beside)));
  setNumber(root, "--dy", squarer(Math.sin(beside)));
}

function squarer(value) {
  return Math.sign(value) * Math.abs(value) ** 0.82;
}

function ring() {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", "0 0 40 40");
  drawing.setAttribute("class", "ring");
  drawing.setAttribute("aria-hidden", "true");
  for (const kind of ["track", "left"]) {
    const circle = document.createElementNS(SVG, "circle");
    for (const [key, value] of Object.entries({ cx: 20, cy: 20, r: 18, pathLength: 1, class: kind })) circle.setAttribute(key, value);
    drawing.append(circle);
  }
  drawing.lastElementChild.setAttribute("stroke-dasharray", "0 1");
  return drawing;
}

function initial(name) {
  return /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase();
}

function hue(name) {
  let sum = 7;
  for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)) % 3600;
  return Math.round(sum / 10);
}

export function element(tag, name) {
  const made = document.createElement(tag);
  made.className = name;
  return made;
}

export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

function setNumber(target, property, value) {
  target.style.setProperty(property, typeof value === "number" ? String(Math.round(value * 1e4) / 1e4) : value);
}
