// The owner's page of one table: the table as it is drawn for spectators, one's own agent's cards, and its reasoning beside it.

import { OwnerEvents } from "./events.js";
import { addLines } from "./log.js";
import { emptyModel, take } from "./model.js";
import { ReasoningView, emptyReasoning, takeReasoning } from "./reasoning.js";
import { TableView } from "./view.js";

const CLOCK_EVERY_MS = 100;

const model = emptyModel();
const reasoning = emptyReasoning();
const view = new TableView();
const reasoningView = new ReasoningView();
const log = document.getElementById("log");
const line = document.getElementById("line");
let waitingToDraw = false;

const events = new OwnerEvents(document.getElementById("main").dataset.events, onFrame, onLine);

function onFrame(frame) {
  if (!takeReasoning(reasoning, frame)) addLines(log, take(model, frame));
  if (waitingToDraw) return;
  waitingToDraw = true; // many frames, one drawing
  setTimeout(() => {
    waitingToDraw = false;
    view.draw(model);
    view.drawClock(model, events.serverNowMs());
    reasoningView.draw(reasoning, model);
  }, 16);
}

function onLine(state, words) {
  line.dataset.state = state;
  line.textContent = words;
}

setInterval(() => view.drawClock(model, events.serverNowMs()), CLOCK_EVERY_MS);
events.open();
