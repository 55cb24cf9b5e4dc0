// One captured hand: to keep it, to take it along, to delete it. The page is read without any of this.

const acts = document.getElementById("acts");
const told = document.getElementById("told");
const sure = document.getElementById("sure");

const REFUSALS = new Map([
  [401, "You are not signed in any more."],
  [403, "The server does not take this from here. Load the page again."],
  [404, "It is not there any more."],
  [429, "Too many at once. Wait a moment."],
  [503, "The store of captured turns does not answer. Try again in a moment."],
]);
const KEPT = new Map([
  ["pinned", "Kept"],
  ["already_pinned", "It is kept already,"],
  ["partly_pinned", "Kept as far as it was still there,"],
]);

if (acts) {
  acts.hidden = false;
  on("keep", keep);
  on("export", takeAlong);
  document.getElementById("delete").addEventListener("click", () => sure.showModal());
  sure.addEventListener("close", () => sure.returnValue === "delete" && doing(document.getElementById("delete"), remove));
}

function on(id, act) {
  const button = document.getElementById(id);
  button.addEventListener("click", () => doing(button, act));
}

async function doing(button, act) {
  told.textContent = "";
  button.disabled = true;
  try {
    await act();
  } catch (problem) {
    told.textContent = problem instanceof Refused ? problem.message : "The server does not answer.";
  }
  button.disabled = false;
}

async function keep() {
  const { status, turns, missing, keptUntil } = await ask("POST", "/keep");
  if (!KEPT.has(status)) {
    told.textContent = "There is nothing to keep: no turn of it is there.";
    return;
  }
  const until = keptUntil === null ? "until you delete it" : `until ${inWords(keptUntil)}`;
  const gone = missing.length ? ` ${missing.length} of its turns could not be kept whole.` : "";
  told.textContent = `${KEPT.get(status)} ${until}.${gone}`;
  if (!turns) return;
  const stays = document.getElementById("stays");
  stays.className = "stays kept";
  stays.textContent = `Kept ${until}`;
}

async function takeAlong() {
  const answer = await answered("GET", "");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = acts.dataset.file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  told.textContent = `Saved as ${acts.dataset.file}.`;
}

async function remove() {
  await ask("DELETE", "");
  location.reload();
}

async function ask(method, ending) {
  return (await answered(method, ending)).json();
}

async function answered(method, ending) {
  const headers = { Accept: "application/json", ...(method === "GET" ? {} : { "X-CSRF-Token": acts.dataset.word }) };
  const answer = await fetch(`${acts.dataset.path}${ending}`, { method, headers, cache: "no-store" });
  if (!answer.ok) throw new Refused(REFUSALS.get(answer.status) ?? "The server could not do it. Try again.");
  return answer;
}

function inWords(ms) {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

class Refused extends Error {}
