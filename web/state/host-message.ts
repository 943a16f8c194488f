/**
 * The other way a token comes: by message, from the window that opened ours or from an Android app around the browser
 * (Custom Tabs), whose origin the browser vouches for. Only origins of the configuration are told that we are here,
 * and only they are heard.
 */
const READY = "taglatch.ready";
const TOKEN = "taglatch.token";

/** Calls back with the first token of an allowed origin; returns how to stop listening. */
export function listenForToken(origins: readonly string[], onToken: (token: string) => void): () => void {
  const hear = ({ origin, data }: MessageEvent<{ type?: unknown; token?: unknown } | null>) => {
    if (!origins.includes(origin) || data?.type !== TOKEN || typeof data.token !== "string") return;
    stop();
    onToken(data.token);
  };
  const stop = () => removeEventListener("message", hear);
  addEventListener("message", hear);
  const opener = window.opener as Window | null;
  // To each by name: a window of any other origin is told nothing.
  for (const origin of origins) opener?.postMessage({ type: READY }, origin);
  return stop;
}
