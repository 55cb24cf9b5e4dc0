// What one's own agent thinks and means to do, turn by turn, and what became of it. Every text is set as text, in isolation.

import { chips, spaced, who, words } from "./log.js";
import { nameOf } from "./model.js";

const MOST_TURNS = 60;
const STATUS = {
  provisional: "provisional: the table does not have it yet",
  recorded: "recorded: the table has it",
  changed: "changed: the table has something else",
  discarded: "discarded: the turn had no action",
  missed: "what became of it was missed",
};
const VERBS = { fold: "fold", check: "check", call: "call", bet: "bet", raise: "raise to", all_in: "go all-in" };

export function emptyReasoning() {
  return { own: new Set(), turns: new Map() };
}

// Takes a frame in. True: it is about one's own agent's reasoning, and belongs here rather than in the log.
export function takeReasoning(reasoning, frame) {
  switch (frame.type) {
    case "snapshot":
      for (const cards of frame.ownCards ?? []) reasoning.own.add(cards.agentId);
      for (const turn of reasoning.turns.values()) if (turn.status === "provisional") turn.status = "missed";
      return false;
    case "own_cards":
      reasoning.own.add(frame.agentId);
      return false;
    case "agent_thought":
      if (!reasoning.own.has(frame.agentId)) return false;
      think(turnOf(reasoning, frame), frame.text);
      return true;
    case "decision":
      reasoning.own.add(frame.agentId);
      decide(turnOf(reasoning, frame), frame);
      return true;
    default:
      return false;
  }
}

function turnOf(reasoning, frame) {
  const { turns } = reasoning;
  if (!turns.has(frame.turnId)) {
    turns.set(frame.turnId, { turnId: frame.turnId, handNumber: frame.handNumber, agentId: frame.agentId, seat: frame.seat, thoughts: [], decision: null, status: "", drawn: false });
    if (turns.size > MOST_TURNS) turns.delete(turns.keys().next().value);
  }
  const turn = turns.get(frame.turnId);
  turn.drawn = false;
  return turn;
}

function think(turn, text) {
  if (!turn.thoughts.includes(text)) turn.thoughts.push(text); // told once more, where spectators get it too
}

function decide(turn, frame) {
  turn.decision = { action: frame.action, amount: frame.amount, text: frame.text };
  turn.status = frame.status;
}

export class ReasoningView {
  constructor() {
    this.own = document.getElementById("own");
    this.turns = document.getElementById("turns");
    this.captured = this.turns.dataset; // where the captured hands of this table are
    this.items = new Map();
    this.drawnOwn = "";
  }

  draw(reasoning, model) {
    this.drawOwn(model);
    const list = this.turns;
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    for (const [turnId, item] of this.items) if (!reasoning.turns.has(turnId)) this.forget(turnId, item);
    for (const turn of reasoning.turns.values()) this.drawTurn(turn, model);
    if (atEnd) list.scrollTop = list.scrollHeight;
  }

  drawOwn(model) {
    const own = [...model.own.values()];
    const wanted = JSON.stringify(own.map((each) => [each.seat, nameOf(model, each.seat), each.handNumber, each.cards]));
    if (wanted === this.drawnOwn) return;
    this.drawnOwn = wanted;
    this.own.replaceChildren(...own.map((each) => made("li", "", who(nameOf(model, each.seat)), " in ", this.linked(each, `hand ${each.handNumber}`), " ", ...spaced(each.cards))));
  }

  drawTurn(turn, model) {
    if (!this.items.has(turn.turnId)) {
      this.items.set(turn.turnId, made("li", "turn"));
      this.turns.append(this.items.get(turn.turnId));
    }
    if (turn.drawn && turn.drawnStatus === turn.status) return;
    turn.drawn = true;
    turn.drawnStatus = turn.status;
    const item = this.items.get(turn.turnId);
    item.dataset.turn = turn.turnId;
    item.dataset.status = turn.status;
    item.replaceChildren(this.heading(turn, model), ...turn.thoughts.map((text) => made("p", "thinks", words(text))), ...decisionParts(turn));
  }

  heading(turn, model) {
    return made("p", "about-turn", this.linked(turn, `Hand ${turn.handNumber}`), ", ", who(nameOf(model, turn.seat)));
  }

  linked({ agentId, handNumber }, text) {
    const link = made("a", "", text);
    link.title = "What your agent knew, was told and said in this hand";
    link.href = `${this.captured.agents}/${encodeURIComponent(agentId)}/hands/${encodeURIComponent(this.captured.table)}/${handNumber}`;
    return link;
  }

  forget(turnId, item) {
    this.items.delete(turnId);
    item.remove();
  }
}

function decisionParts({ decision, status }) {
  if (!decision) return [];
  const amount = decision.amount === null || decision.amount === undefined ? "" : ` ${chips(decision.amount)}`;
  const told = made("p", "decides", made("b", "", `${VERBS[decision.action] ?? decision.action}${amount}`), " ", made("span", "fate", STATUS[status] ?? status));
  return decision.text ? [made("p", "thinks", words(decision.text)), told] : [told];
}

function made(tag, name, ...parts) {
  const element = document.createElement(tag);
  element.className = name;
  element.append(...parts);
  return element;
}
