/**
 * The other way for a token to arrive: by message, from the window that opened ours or from an Android app
 * around the browser (Custom Tabs); the browser vouches for the origin. Only the origins in the configuration
 * learn that we are here, and only their messages are read.
 */
const READY = "taglatch.ready";
const TOKEN = "taglatch.token";

/** Calls back with the first token from an allowed origin; returns the function that stops listening. */
export function listenForToken(origins: readonly string[], onToken: (token: string) => void): () => void {
  const hear = ({ origin, data }: MessageEvent<{ type?: unknown; token?: unknown } | null>) => {
    if (!origins.includes(origin) || data?.type !== TOKEN || typeof data.token !== "string") return;
    stop();
    onToken(data.token);
  };
  const stop = () => removeEventListener("message", hear);
  addEventListener("message", hear);
  const opener = window.opener as Window | null;
  // Sent to each origin by name: a window of any other origin learns nothing.
  for (const origin of origins) opener?.postMessage({ type: READY }, origin);
  return stop;
}
