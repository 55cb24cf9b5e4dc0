// One table's events for the owner of an agent there. The browser comes back by itself after a loss, with the id of the last event.

const TYPES = [
  "snapshot", "resync", "resumed", "reconnect", "game_state", "your_turn", "player_action", "hand_started", "street_dealt", "cards_shown",
  "hand_result", "hand_cancelled", "agent_thought", "decision", "own_cards", "power_used", "table_options", "presence", "chat", "table_status",
];
const FINAL = new Map([
  [401, "signed out"],
  [403, "no agent of yours sits here"],
  [404, "no such table"],
]);
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;

export class OwnerEvents {
  // `path`: of the stream, on this page's own host; the session's cookie opens it. `onFrame(frame)`, `onLine(state, words)`.
  constructor(path, onFrame, onLine) {
    this.url = new URL(path, location.href);
    this.onFrame = onFrame;
    this.onLine = onLine;
    this.seq = null; // of the last frame that counts in the stream
    this.clockAheadMs = 0;
    this.tries = 0;
  }

  serverNowMs() {
    return Date.now() + this.clockAheadMs;
  }

  open() {
    const source = new EventSource(this.url);
    this.source = source;
    this.onLine("connecting", this.tries ? "reconnecting" : "connecting");
    for (const type of TYPES) source.addEventListener(type, (event) => this.take(JSON.parse(event.data)));
    source.addEventListener("error", (event) => {
      if (event instanceof MessageEvent) return; // an `error` frame: the stream ends, and what follows is told by its answer
      if (source.readyState === EventSource.CLOSED) this.ask();
      else this.onLine("lost", "reconnecting");
    });
  }

  take(frame) {
    this.tries = 0;
    if (frame.type === "snapshot") {
      this.seq = frame.seq;
      this.clockAheadMs = (frame.serverTime || Date.now()) - Date.now();
    } else if (frame.seq !== undefined && frame.type !== "resumed") {
      if (this.seq === null || frame.seq <= this.seq) return;
      if (frame.seq !== this.seq + 1) return this.startOver(); // one is missing
      this.seq = frame.seq;
    }
    if (frame.type !== "reconnect" && frame.type !== "resync") this.onLine("live", "live");
    this.onFrame(frame);
  }

  startOver() {
    this.source.close();
    this.seq = null;
    this.open();
  }

  // EventSource does not tell why it was refused: the same address by itself does.
  async ask() {
    const asking = new AbortController();
    let status = 0;
    try {
      status = (await fetch(this.url, { signal: asking.signal, headers: { Accept: "text/event-stream" } })).status;
    } catch {
      // no line at all: try again
    }
    asking.abort();
    if (FINAL.has(status)) return this.onLine("closed", FINAL.get(status));
    this.tries += 1;
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(this.tries - 1, 8));
    this.onLine("lost", "reconnecting");
    setTimeout(() => this.startOver(), longest * (0.5 + Math.random() / 2));
  }
}
