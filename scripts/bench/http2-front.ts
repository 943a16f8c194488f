/** A local HTTP/2 server before the service, as a deployment has one: pages share one connection. */
import { createHash, KeyObject, X509Certificate } from "node:crypto";
import { Agent, type IncomingMessage, request } from "node:http";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { createGzip } from "node:zlib";
import { toPem } from "../../core/pki/pem.ts";
import { chromiumLaunch } from "../drivers/chromium.ts";
import { issueCredential } from "../drivers/tag-factory.ts";
import { sum } from "./harness.ts";

/**
 * Headers of one connection alone (RFC 9113 §8.2.2); and the one that gives a page a process of its own (HTML §7.1.3), in
 * which a browser begins its trace too late for Lighthouse (NO_NAVSTART).
 */
const NOT_PASSED = [
  "connection",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
  "proxy-connection",
  "cross-origin-opener-policy",
];

export type Http2Front = Awaited<ReturnType<typeof http2Front>>;

const EMPTY_PAGE = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Floor</title>
<h1>Floor</h1><button>Nothing</button>`;

/** Answers each request with an empty page, until it has a service to pass them to. */
export async function http2Front() {
  const agent = new Agent({ keepAlive: true });
  let service: string | undefined;
  let requests = 0;
  const sockets: TLSSocket[] = [];
  const { key, cert } = await certificate();
  const server = createSecureServer({ key, cert }, (incoming, outgoing) => {
    requests += 1;
    if (service === undefined) outgoing.writeHead(200, { "content-type": "text/html" }).end(EMPTY_PAGE);
    else pass(incoming, outgoing, service, agent);
  });
  server.on("secureConnection", (socket: TLSSocket) => void sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  return {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    /** {@link chromiumLaunch} of a browser that takes its certificate for a good one. */
    launch: (...more: readonly string[]) => launchTrusting(cert, more),
    serve: (url: string) => {
      service = url;
    },
    /** Since it began: requests, and bytes of answers with their headers. */
    traffic: () => ({ requests, bytes: sum(sockets.map(({ bytesWritten }) => bytesWritten)) }),
    stop: () => {
      agent.destroy();
      server.close();
    },
  };
}

/** That of a tag: it may sign, which is what a browser asks of it. */
async function certificate() {
  const { chain, privateKey } = await issueCredential("localhost");
  const key = KeyObject.from(privateKey).export({ type: "pkcs8", format: "pem" });
  return { key, cert: chain.map(toPem).join("") };
}

/** A browser that ignores the certificate's errors alone caches what comes with it: not one that ignores all errors. */
function launchTrusting(cert: string, more: readonly string[]) {
  const spki = new X509Certificate(cert).publicKey.export({ type: "spki", format: "der" });
  const trusted = `--ignore-certificate-errors-spki-list=${createHash("sha256").update(spki).digest("base64")}`;
  const { args, ...launch } = chromiumLaunch();
  return { ...launch, args: [...args, trusted, ...more] };
}

const isCompressible = ({ headers: asked }: Http2ServerRequest, { headers, statusCode }: IncomingMessage) =>
  statusCode === 200 &&
  headers["content-encoding"] === undefined &&
  /gzip/.test(String(asked["accept-encoding"])) &&
  /text|javascript|json|svg|xml/.test(headers["content-type"] ?? "");

function pass(
  incoming: Http2ServerRequest,
  outgoing: Http2ServerResponse,
  service: string,
  agent: Agent,
): void {
  const sent = Object.entries(incoming.headers).filter(([name]) => !name.startsWith(":") && name !== "host");
  const options = { method: incoming.method, headers: Object.fromEntries(sent), agent };
  const onward = request(service + incoming.url, options, (answer) => {
    const headers = { ...answer.headers };
    for (const name of NOT_PASSED) delete headers[name];
    if (!isCompressible(incoming, answer)) {
      outgoing.writeHead(answer.statusCode ?? 502, headers);
      return void answer.pipe(outgoing);
    }
    // As the platform does before files and answers leave it.
    delete headers["content-length"];
    outgoing.writeHead(200, { ...headers, "content-encoding": "gzip" });
    answer.pipe(createGzip()).pipe(outgoing);
  });
  onward.once("error", () => outgoing.stream.close());
  incoming.pipe(onward);
}
