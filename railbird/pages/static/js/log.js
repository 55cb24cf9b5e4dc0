// The log beside the table: one line for each thing that happened. Names and texts are set as text, in isolation.

import { cardInText } from "./cards.js";

const MOST_LINES = 400;
const CAUSES = { agent_slow: "out of time", disconnected: "disconnected", provider_down: "its model is down", leave: "left" };
const VERBS = {
  fold: "folds", check: "checks", call: "calls", bet: "bets", raise: "raises to",
  ante: "posts an ante of", small_blind: "posts the small blind,", big_blind: "posts the big blind,", big_blind_ante: "posts the ante for all,",
  post: "posts", dead_post: "posts a dead", straddle: "straddles,",
};

export function addLines(log, lines) {
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  for (const line of lines) {
    if (line.kind === "clear") log.replaceChildren();
    else log.append(drawn(line));
  }
  while (log.childElementCount > MOST_LINES) log.firstElementChild.remove();
  if (atEnd) log.scrollTop = log.scrollHeight;
}

function drawn(line) {
  const item = document.createElement("li");
  item.className = line.kind;
  item.append(...PARTS[line.kind](line));
  return item;
}

const PARTS = {
  hand: (line) => [`Hand ${line.hand}`],
  street: (line) => [`${line.street} `, ...spaced(line.cards)],
  action: (line) => [
    who(line.who),
    ` ${VERBS[line.action] ?? line.action}`,
    ...(line.amount && line.action !== "fold" && line.action !== "check" ? [` ${chips(line.amount)}`] : []),
    ...(line.allIn ? [note("all-in")] : []),
    ...(line.cause ? [note(CAUSES[line.cause] ?? line.cause)] : []),
  ],
  shown: (line) => [who(line.who), " shows ", ...spaced(line.cards)],
  won: (line) => [who(line.who), ` wins ${chips(line.amount)}`],
  say: (line) => [line.text],
  said: (line) => [who(line.who), ` ${line.text}`, ...(line.whom ? [" ", who(line.whom)] : [])],
  chat: (line) => [who(line.who), ": ", words(line.text)],
  thought: (line) => [who(line.who), " thinks: ", words(line.text)],
};

export function chips(amount) {
  return amount.toLocaleString("en");
}

export function who(name) {
  const isolated = document.createElement("bdi");
  isolated.className = "who";
  isolated.textContent = name;
  return isolated;
}

export function words(text) {
  const isolated = document.createElement("bdi");
  isolated.className = "words";
  isolated.textContent = text;
  return isolated;
}

function note(text) {
  const mark = document.createElement("span");
  mark.className = "note";
  mark.textContent = ` ${text}`;
  return mark;
}

export function spaced(cards) {
  return cards.flatMap((card) => [cardInText(card), " "]);
}
