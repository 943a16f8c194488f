/** Files share a runtime and its document: each begins at the start page with empty storages, as a first visit does. */
if (typeof document !== "undefined") {
  history.replaceState(null, "", "/");
  localStorage.clear();
  sessionStorage.clear();
}
