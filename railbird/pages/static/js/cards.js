// Playing cards as elements: drawn suits in four colours, and words for those who listen.

const SVG = "http://www.w3.org/2000/svg";
const RANKS = { T: "10", J: "J", Q: "Q", K: "K", A: "A" };
const SPOKEN_RANKS = { T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };
const SUITS = {
  s: ["spades", "M16 2C16 2 3 11.200 3 18.600a6.600 6.600 0 0 0 11.500 4.400c-.3 2.600-1.500 5-3.300 7h9.600c-1.800-2-3-4.400-3.300-7A6.600 6.600 0 0 0 29 18.600C29 11.200 16 2 16 2z"],
  h: ["hearts", "M16 29.500S3 20 3 11.300A7 7 0 0 1 16 7.600a7 7 0 0 1 13 3.700C29 20 16 29.500 16 29.500z"],
  d: ["diamonds", "M16 1.800C18.600 6.900 22.600 11.600 27 16c-4.400 4.400-8.400 9.100-11 14.200C13.400 25.100 9.400 20.400 5 16 9.400 11.600 13.400 6.900 16 1.800z"],
  c: ["clubs", "M16 2a6.400 6.400 0 0 0-5.400 9.800A6.500 6.500 0 1 0 14.600 22.400c-.2 3-1.400 5.600-3.400 7.600h9.600c-2-2-3.200-4.600-3.400-7.600A6.500 6.500 0 1 0 21.400 11.800 6.400 6.400 0 0 0 16 2z"],
};

export function spoken(card) {
  return `${SPOKEN_RANKS[card[0]] ?? card[0]} of ${SUITS[card[1]]?.[0] ?? "?"}`;
}

export function suitMark(suit) {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", "0 0 32 32");
  drawing.setAttribute("aria-hidden", "true");
  drawing.setAttribute("class", `suit ${suit}`);
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", SUITS[suit]?.[1] ?? "");
  drawing.append(shape);
  return drawing;
}

export function cardFace(card) {
  const face = document.createElement("span");
  face.className = `card face ${card[1]}`;
  face.dataset.card = card;
  face.setAttribute("role", "img");
  face.setAttribute("aria-label", spoken(card));
  const rank = document.createElement("span");
  rank.className = "rank";
  rank.textContent = RANKS[card[0]] ?? card[0];
  face.append(rank, suitMark(card[1]));
  return face;
}

export function cardBack() {
  const back = document.createElement("span");
  back.className = "card back";
  return back;
}

export function emptyPlace() {
  const place = document.createElement("span");
  place.className = "card place";
  return place;
}

// Small: rank and suit inside a line of text.
export function cardInText(card) {
  const mark = document.createElement("span");
  mark.className = `in-text ${card[1]}`;
  mark.setAttribute("role", "img");
  mark.setAttribute("aria-label", spoken(card));
  mark.append(RANKS[card[0]] ?? card[0], suitMark(card[1]));
  return mark;
}
