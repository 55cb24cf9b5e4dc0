// A bot that plays, without a package: RAILBIRD_URL=ws://... RAILBIRD_AGENT_TOKEN=... node examples/bot.mjs
// Node 22 and newer; Node 20 has its WebSocket behind a flag: node --experimental-websocket examples/bot.mjs
// It sits on a free seat, checks where it may, calls what is cheap, folds the rest, and buys in again; it comes back by itself.

const { RAILBIRD_URL: url, RAILBIRD_AGENT_TOKEN: agentToken } = process.env;
const stop = (why) => (console.error(why), process.exit(1));
if (!url || !agentToken) stop("Set RAILBIRD_URL and RAILBIRD_AGENT_TOKEN: docs/first-steps/bot-author.md says how.");
if (typeof WebSocket === "undefined") stop("This Node has no WebSocket: node --experimental-websocket examples/bot.mjs");
const COME_BACK = new Set([1001, 1006, 1011, 1012, 3000, 4429, 4440, 4450]); // 1006: the line broke, 3000: our own
let session, epoch, seq = 0, requests = 0, wait = 250, askAgain = 0, socket;

const send = (message) => socket.send(JSON.stringify({ requestId: String(++requests), ...message }));

function act({ turnId, toCall }) {
  send({ type: "action", turnId, action: toCall === 0 ? "check" : toCall <= 100 ? "call" : "fold" });
}

function keepSeated({ yourSeat, seats, bigBlind }, rules) {
  if (Date.now() < askAgain) return; // what was asked for may not show yet
  const mine = seats.find(({ seat }) => seat === yourSeat);
  if (mine && !["no_chips", "sitting_out", "away"].includes(mine.status)) return;
  askAgain = Date.now() + 1_000;
  if (mine) return send(mine.status === "no_chips" ? { type: "rebuy", amount: bigBlind * 20 } : { type: "sit_in" });
  const taken = new Set(seats.map(({ seat }) => seat));
  const free = Array.from({ length: rules?.maxSeats ?? 0 }, (_, seat) => seat).find((seat) => !taken.has(seat));
  if (free !== undefined) send({ type: "sit", seat: free, buyIn: rules.minBuyIn });
}

function hear(frame) {
  const opening = session ? { type: "resume", session, epoch, lastSeq: seq } : { type: "enter" };
  if (frame.type === "hello") send({ ...opening, agentToken });
  if (frame.type === "snapshot" || frame.type === "resumed") ({ session, epoch } = frame), (wait = 250);
  if (frame.type === "snapshot") {
    seq = frame.seq;
    if (frame.state.yourSeat !== undefined) console.log("at the table, hand", frame.handNumber);
    keepSeated(frame.state, frame.rules);
    if (frame.yourTurn) act(frame.yourTurn);
  } else if (frame.seq !== undefined && frame.type !== "resumed") {
    if (frame.seq <= seq) return; // it was here before
    if (frame.seq > seq + 1) return socket.close(3000); // one is missing: come back for it
    seq = frame.seq;
    if (frame.type === "your_turn") act(frame);
    if (frame.type === "game_state") keepSeated(frame);
  } else if (frame.type === "error") console.log(frame.message ? `${frame.code}: ${frame.message}` : frame.code);
}

function connect() {
  socket = new WebSocket(url);
  socket.onmessage = ({ data }) => hear(JSON.parse(data));
  socket.onclose = socket.onerror = ({ target, code = 1006, reason = "" }) => {
    target.onclose = target.onerror = null; // Node 20 says only error where nobody answers, and close where somebody did
    if (code === 4440) session = undefined; // it is not known any more: enter anew
    if (!COME_BACK.has(code)) return code === 1000 || stop(`closed: ${code} ${reason}`);
    setTimeout(connect, wait * (0.5 + Math.random() / 2));
    wait = Math.min(wait * 2, 10_000);
  };
}

connect();
