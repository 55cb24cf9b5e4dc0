// What the table looks like, built from the frames alone. No drawing here.

export function emptyModel() {
  return {
    rules: null,
    state: null,
    handNumber: 0,
    seats: new Map(), // seat number -> what is kept beside the state: {live, cards, last, won}
    board: [],
    result: null,
    thought: null, // {seat, text}: the last one that watchers were told in this hand
    own: new Map(), // seat number -> {agentId, handNumber, cards} of one's own agents
  };
}

// Takes one frame in; answers with the lines for the log that it makes.
export function take(model, frame) {
  const kind = TAKEN[frame.type];
  return kind ? kind(model, frame) : [];
}

export function nameOf(model, seat) {
  return model.state?.seats.find((each) => each.seat === seat)?.name ?? `Seat ${seat + 1}`;
}

const TAKEN = {
  snapshot(model, frame) {
    model.rules = frame.rules;
    model.handNumber = frame.handNumber;
    model.seats = new Map();
    model.result = null;
    model.thought = null;
    const before = (frame.recentHands ?? []).slice(-3).flatMap((hand) => [
      { kind: "hand", hand: hand.handNumber },
      ...handLines(frame.state, hand.actions, hand.result.board),
      ...resultLines(frame.state, hand.result),
    ]);
    takeState(model, frame.state);
    model.own = new Map((frame.ownCards ?? []).map((cards) => [cards.seat, cards]));
    layOpenOwn(model);
    const now = frame.actions ?? [];
    for (const action of now) noteAction(model, action);
    const present = now.length ? [{ kind: "hand", hand: frame.handNumber }, ...handLines(frame.state, now, frame.state.board)] : [];
    return [{ kind: "clear" }, ...before, ...present];
  },

  game_state(model, frame) {
    takeState(model, frame);
    return [];
  },

  hand_started(model, frame) {
    model.handNumber = frame.handNumber;
    model.board = [];
    model.result = null;
    model.seats = new Map(frame.dealt.map((seat) => [seat, { live: true }]));
    model.thought = null;
    layOpenOwn(model);
    return [{ kind: "hand", hand: frame.handNumber }];
  },

  player_action(model, frame) {
    noteAction(model, frame);
    return [actionLine(model.state, frame)];
  },

  street_dealt(model, frame) {
    model.board = frame.board;
    for (const each of model.seats.values()) if (each.last && !each.last.stays) each.last = null;
    return [{ kind: "street", street: frame.street, cards: frame.cards }];
  },

  cards_shown(model, frame) {
    beside(model, frame.seat).cards = frame.cards;
    return [{ kind: "shown", who: nameOf(model, frame.seat), cards: frame.cards }];
  },

  own_cards(model, frame) {
    model.own.set(frame.seat, frame);
    layOpenOwn(model);
    return [];
  },

  hand_result(model, frame) {
    model.result = frame;
    model.board = frame.board;
    for (const each of model.seats.values()) if (each.last && !each.last.stays) each.last = null;
    for (const hand of frame.shown) beside(model, hand.seat).cards = hand.cards;
    for (const { seat, amount } of winnings(frame)) beside(model, seat).won = amount;
    return resultLines(model.state, frame, model);
  },

  hand_cancelled(model) {
    model.result = null;
    for (const each of model.seats.values()) each.live = false;
    return [{ kind: "say", text: "The hand was cancelled; all bets went back." }];
  },

  agent_thought(model, frame) {
    model.thought = { seat: frame.seat, text: frame.text };
    return [{ kind: "thought", who: nameOf(model, frame.seat), text: frame.text }];
  },

  power_used(model, frame) {
    return [{ kind: "said", who: nameOf(model, frame.by), text: "peeks at a card of", whom: nameOf(model, frame.target) }];
  },

  chat(model, frame) {
    return [{ kind: "chat", who: frame.sender, text: frame.text }];
  },

  presence(model, frame) {
    const seat = model.state?.seats.find((each) => each.seat === frame.seat);
    if (seat) seat.connected = frame.connected;
    return [];
  },

  table_options(model, frame) {
    model.rules = { ...model.rules, showHands: frame.showHands, showThoughts: frame.showThoughts };
    return [];
  },

  table_status(model, frame) {
    if (model.state) model.state.status = frame.status;
    if (frame.what === "freed") model.own.delete(frame.seat);
    if (frame.what === "taken" && frame.name) return [{ kind: "said", who: frame.name, text: "sits down" }];
    if (frame.what === "freed" && frame.name) return [{ kind: "said", who: frame.name, text: "leaves" }];
    if (frame.what === "rebought" && frame.name) return [{ kind: "said", who: frame.name, text: "buys in again" }];
    if (frame.what === "status") return [{ kind: "say", text: `The table is ${frame.status}.` }];
    return [];
  },
};

function takeState(model, state) {
  model.state = state;
  if (state.handNumber !== undefined) model.handNumber = state.handNumber;
  if (state.board.length || !model.result) model.board = state.board;
  for (const seat of state.seats) {
    const each = beside(model, seat.seat);
    if (seat.status === "in_hand" || seat.status === "all_in") each.live = true;
    if (seat.status === "folded") each.live = false;
  }
  takeAwayFolded(model, state);
  for (const [seat, cards] of Object.entries(state.revealedHoleCards ?? {})) beside(model, Number(seat)).cards = cards;
  if (state.yourSeat !== undefined && state.yourHoleCards) beside(model, state.yourSeat).cards = state.yourHoleCards;
}

// Where live hands are shown, a fold takes a hand out of the view. What was shown at the end of a hand stays to be looked at.
function takeAwayFolded(model, state) {
  if (model.result) return;
  for (const { seat, status } of state.seats) {
    const isOwn = model.own.has(seat) || state.yourSeat === seat;
    if (status === "folded" && !isOwn) beside(model, seat).cards = undefined;
  }
}

// Own cards are live, and the rest of the table may be late: they lie at the table in their own hand.
function layOpenOwn(model) {
  for (const own of model.own.values()) if (own.handNumber === model.handNumber) beside(model, own.seat).cards = own.cards;
}

function beside(model, seat) {
  if (!model.seats.has(seat)) model.seats.set(seat, { live: false });
  return model.seats.get(seat);
}

function noteAction(model, action) {
  const each = beside(model, action.seat);
  each.live = action.action !== "fold";
  each.last = { action: action.allIn ? "all-in" : LABELS[action.action] ?? action.action, amount: LABELLED_WITH_AMOUNT.has(action.action) ? action.amount : null, stays: action.allIn || action.action === "fold" };
}

const LABELS = { fold: "folded", check: "check", call: "call", bet: "bet", raise: "raise", ante: "ante", small_blind: "small blind", big_blind: "big blind", big_blind_ante: "ante", post: "post", dead_post: "post", straddle: "straddle" };
const LABELLED_WITH_AMOUNT = new Set(["call", "bet", "raise"]);

const DEALT = { flop: [0, 3], turn: [3, 4], river: [4, 5] };

// The lines of a hand that was not followed from its beginning: each street where its first action is, the rest at the end.
function handLines(state, actions, board) {
  const lines = [];
  let dealt = 0;
  const deal = (upTo) => {
    for (const [street, [from, to]] of Object.entries(DEALT)) {
      if (from < dealt || to > upTo) continue;
      lines.push({ kind: "street", street, cards: board.slice(from, to) });
      dealt = to;
    }
  };
  for (const action of actions) {
    deal(DEALT[action.street]?.[1] ?? 0);
    lines.push(actionLine(state, action));
  }
  deal(board.length);
  return lines;
}

function actionLine(state, action) {
  const seat = state?.seats.find((each) => each.seat === action.seat);
  return { kind: "action", who: seat?.name ?? `Seat ${action.seat + 1}`, action: action.action, amount: action.amount, allIn: action.allIn, cause: action.cause };
}

export function winnings(result) {
  const sums = new Map();
  for (const pot of result.pots) for (const { seat, amount } of pot.winners) sums.set(seat, (sums.get(seat) ?? 0) + amount);
  for (const [seat, amount] of Object.entries(result.uncontested && !sums.size ? result.returned : {})) sums.set(Number(seat), amount);
  return [...sums].map(([seat, amount]) => ({ seat, amount }));
}

function resultLines(state, result, model = null) {
  const name = (seat) => state?.seats.find((each) => each.seat === seat)?.name ?? `Seat ${seat + 1}`;
  const shown = model ? [] : result.shown.map((hand) => ({ kind: "shown", who: name(hand.seat), cards: hand.cards }));
  return [...shown, ...winnings(result).map(({ seat, amount }) => ({ kind: "won", who: name(seat), amount }))];
}
