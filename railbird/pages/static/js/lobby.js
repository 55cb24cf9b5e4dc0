// The list of tables, fetched anew now and then. The server's page is the only source: its list replaces ours.

const EVERY_MS = 4000;

// A document from XMLHttpRequest runs no script, and no string becomes HTML in this page.
function fetchPage(done) {
  const request = new XMLHttpRequest();
  request.open("GET", location.href);
  request.responseType = "document";
  request.onload = () => {
    if (request.status === 200 && request.response) done(request.response);
  };
  request.send();
}

function replaceList(page) {
  const list = page.getElementById("tables");
  if (!list) return;
  const focused = document.activeElement?.dataset?.table;
  document.getElementById("tables").replaceWith(document.adoptNode(list));
  if (focused) document.querySelector(`[data-table="${CSS.escape(focused)}"]`)?.focus();
}

setInterval(() => {
  if (document.visibilityState === "visible") fetchPage(replaceList);
}, EVERY_MS);
