/**
 * Where webhooks may be sent. A Worker sends from the network's edge, where no private network is in reach, and cannot see
 * what a name resolves to. So this refuses what cannot be a public listener: IP addresses, other ports, and names that no
 * public resolver has.
 */

/** Names below these are of no public resolver (RFC 6761, RFC 6762, RFC 8375, and what networks use at home). */
const PRIVATE = [
  ...["localhost", "localdomain", "local", "internal", "intranet", "private", "lan", "home", "corp", "arpa"],
  ...["test", "invalid", "example", "onion", "alt"],
];

/** The fault of `text` as the address of a webhook, as the rest of a sentence; undefined for a valid one. */
export function addressFault(text: string, { isDevelopment = false } = {}): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || text.length > 2_048) return "is no URL";
  const { protocol, hostname, port, username, password, hash } = url;
  if (isDevelopment && protocol === "http:" && ["localhost", "127.0.0.1"].includes(hostname))
    return undefined;
  if (protocol !== "https:") return "must begin with https://";
  if (username !== "" || password !== "" || hash !== "") return "must hold no user, password or fragment";
  if (port !== "") return "must have no port of its own";
  // The parser has made one spelling of every way to write an address in numbers.
  if (hostname.startsWith("[") || /^[\d.]+$/.test(hostname)) return "must name a host, not an address";
  const labels = hostname.split(".");
  const last = labels.at(-1) ?? "";
  return labels.length < 2 || last === "" || PRIVATE.includes(last) ? "must name a public host" : undefined;
}
