// Signs somebody in with a token. The token goes to this page's own server, in the body, and is kept nowhere.

const form = document.getElementById("sign-in");
const said = document.getElementById("said");
const button = form.querySelector("button");

const REFUSALS = new Map([
  [401, "This token is not good here: it has run out, was revoked, or is another server’s."],
  [403, "This address is not one of the server’s own. Open the page by the address that the server prints."],
  [429, "Too many tries. Wait a moment, then try again."],
]);

form.addEventListener("submit", (event) => {
  event.preventDefault();
  signIn(form.elements.token.value.trim());
});
button.disabled = false;

async function signIn(token) {
  said.textContent = "";
  button.disabled = true;
  try {
    const answer = await fetch(form.action, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token }),
    });
    if (answer.ok) location.assign(form.dataset.next);
    else said.textContent = REFUSALS.get(answer.status) ?? "The server could not do it. Try again.";
  } catch {
    said.textContent = "The server does not answer.";
  }
  button.disabled = false;
}
