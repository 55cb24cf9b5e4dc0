// One table's stream over a WebSocket: enters, keeps its place, resumes after a loss, and hands each frame on once.

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 10_000;
const FINAL = new Map([
  [4401, "signed out"],
  [4403, "not allowed here"],
  [4404, "no such table"],
  [4410, "the table is closed"],
  [4426, "this page is too old: load it again"],
]);

export class TableStream {
  // `path`: of the WebSocket, on this page's own host. `onFrame(frame)`, `onLine(state, words)`.
  constructor(path, onFrame, onLine) {
    this.url = new URL(path, location.href);
    this.url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.onFrame = onFrame;
    this.onLine = onLine;
    this.place = null; // {session, epoch, seq}
    this.clockAheadMs = 0;
    this.tries = 0;
    this.atLeastMs = 0;
  }

  open() {
    const socket = new WebSocket(this.url);
    this.socket = socket;
    this.onLine("connecting", this.tries ? "reconnecting" : "connecting");
    socket.onmessage = (event) => {
      if (socket === this.socket) this.take(JSON.parse(event.data));
    };
    socket.onclose = (event) => {
      if (socket === this.socket) this.closed(event.code);
    };
  }

  serverNowMs() {
    return Date.now() + this.clockAheadMs;
  }

  take(frame) {
    switch (frame.type) {
      case "hello":
        this.clockAheadMs = frame.serverTime - Date.now();
        this.send(this.place ? { type: "resume", session: this.place.session, epoch: this.place.epoch, lastSeq: this.place.seq } : { type: "enter" });
        return;
      case "snapshot":
        this.place = { session: frame.session, epoch: frame.epoch, seq: frame.seq };
        this.live();
        break;
      case "resumed":
        this.place = { ...this.place, session: frame.session, epoch: frame.epoch };
        this.live();
        return;
      case "reconnect":
        this.atLeastMs = frame.afterMs;
        return;
      case "resync": // a snapshot follows
      case "ack":
      case "pong":
      case "error":
        return;
      default:
        if (!this.inOrder(frame)) return;
    }
    this.onFrame(frame);
  }

  inOrder(frame) {
    if (!this.place || frame.seq <= this.place.seq) return false;
    if (frame.seq !== this.place.seq + 1) {
      this.again(); // one is missing: resume from the last that came
      return false;
    }
    this.place.seq = frame.seq;
    return true;
  }

  live() {
    this.tries = 0;
    this.onLine("live", "live");
  }

  send(message) {
    this.socket.send(JSON.stringify(message));
  }

  again() {
    const socket = this.socket;
    this.socket = null;
    socket.close();
    this.closed(1006);
  }

  closed(code) {
    if (code === 4440 || code === 4408) this.place = null; // the session is not known any more
    if (FINAL.has(code)) {
      this.onLine("closed", FINAL.get(code));
      return;
    }
    this.tries += 1;
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(this.tries - 1, 8));
    const wait = this.atLeastMs + longest * (0.5 + Math.random() / 2);
    this.atLeastMs = 0;
    this.onLine("lost", "reconnecting");
    setTimeout(() => this.open(), wait);
  }
}
