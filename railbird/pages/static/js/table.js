// The page of one table: its stream, what is known from it, and the drawing of that.

import { addLines } from "./log.js";
import { emptyModel, take } from "./model.js";
import { TableStream } from "./stream.js";
import { TableView } from "./view.js";

const CLOCK_EVERY_MS = 100;

const model = emptyModel();
const view = new TableView();
const log = document.getElementById("log");
const line = document.getElementById("line");
let waitingToDraw = false;

const stream = new TableStream(document.getElementById("main").dataset.socket, onFrame, onLine);

function onFrame(frame) {
  addLines(log, take(model, frame));
  if (waitingToDraw) return;
  waitingToDraw = true; // many frames, one drawing
  setTimeout(() => {
    waitingToDraw = false;
    view.draw(model);
    view.drawClock(model, stream.serverNowMs());
  }, 16);
}

function onLine(state, words) {
  line.dataset.state = state;
  line.textContent = words;
}

setInterval(() => view.drawClock(model, stream.serverNowMs()), CLOCK_EVERY_MS);
stream.open();
