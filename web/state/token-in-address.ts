/** Where a host app puts its traveller's token when it opens the page by address. */
const FRAGMENT = "#token=";

/**
 * A token in the address, wiped from it before anything else happens: it is not in the history, not in a
 * bookmark, and not there after a reload. It opens nothing by itself: only the screen `/handover` asks
 * whether to use it.
 */
export function takeHandedOver(): string | undefined {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(FRAGMENT)) return undefined;
  history.replaceState(null, "", pathname + search);
  return pathname === "/handover" ? hash.slice(FRAGMENT.length) : undefined;
}
