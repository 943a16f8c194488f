/** A server before the service that can bring out a new version of the page: what a deployment does, seen from a browser. */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Deployment {
  readonly url: string;
  /** From now on the service worker's script is another one, byte for byte, as after a build. */
  release(): void;
  stop(): Promise<void>;
}

export async function runDeployment(service: string): Promise<Deployment> {
  let version = 1;
  const server = createServer((incoming, outgoing) => forward(service, incoming, outgoing, () => version));
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    release: () => {
      version += 1;
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Everything goes through as it is, `Host` included, so that addresses in proofs stay true. */
function forward(
  service: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  version: () => number,
): void {
  const { method, headers, url = "/" } = incoming;
  // Neither side may answer from what it knew of another version, or compress what is appended to.
  const { "if-none-match": _tag, "accept-encoding": _coding, ...rest } = headers;
  const passed = request(new URL(url, service), { method: method ?? "GET", headers: rest }, (answer) => {
    const { etag: _etag, "content-length": _length, ...kept } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 502, kept);
    answer.on("data", (chunk) => outgoing.write(chunk));
    answer.on("end", () => {
      if (url === "/sw.js") outgoing.write(`\n// version ${version()}\n`);
      outgoing.end();
    });
  });
  passed.on("error", () => outgoing.destroy());
  // A window that goes takes its requests along: what was for it is lost, which is no fault.
  for (const side of [incoming, outgoing]) side.on("error", () => passed.destroy());
  incoming.pipe(passed);
}
