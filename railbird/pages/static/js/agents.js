// The page of one's own agents: the last hands of each, and signing out.

const MOST_HANDS = 12;

for (const place of document.querySelectorAll("[data-hands]")) listHands(place);

async function listHands(place) {
  const answer = await fetch(place.dataset.hands, { headers: { Accept: "application/json" } });
  if (!answer.ok) return;
  const { hands } = await answer.json();
  const newest = [...hands].reverse().slice(0, MOST_HANDS);
  place.prepend(newest.length ? listOf(place.dataset.hands, newest) : nothing());
}

function listOf(path, hands) {
  const list = document.createElement("ul");
  list.className = "hand-links";
  for (const { tableId, handNumber } of hands) {
    const link = document.createElement("a");
    link.href = `${path}/${encodeURIComponent(tableId)}/${handNumber}`;
    link.textContent = `hand ${handNumber}`;
    link.title = tableId;
    const item = document.createElement("li");
    item.append(link);
    list.append(item);
  }
  return list;
}

function nothing() {
  const words = document.createElement("p");
  words.className = "nobody";
  words.textContent = "none captured in the last day";
  return words;
}

const out = document.getElementById("sign-out");
out?.addEventListener("click", async () => {
  const answer = await fetch(out.dataset.path, { method: "POST", headers: { "X-CSRF-Token": out.dataset.word } });
  if (answer.ok) location.assign(out.dataset.next);
});
