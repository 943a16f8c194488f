/** A local HTTP/2 server before the service, as a deployment has one: pages share one connection. */
import { execFileSync } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { createGzip } from "node:zlib";
import { type Browser, chromium } from "playwright";
import { chromiumLaunch } from "../drivers/chromium.ts";

/**
 * Headers of one connection alone (RFC 9113 §8.2.2); and the one that gives a page a process of its own (HTML §7.1.3), in
 * which a browser begins its trace too late for Lighthouse (NO_NAVSTART).
 */
const NOT_PASSED = [
  ...["connection", "keep-alive", "transfer-encoding", "upgrade", "proxy-connection"],
  "cross-origin-opener-policy",
];

export interface Http2Front {
  /** `https://localhost:…` */
  readonly origin: string;
  /** Launch arguments with which Chromium takes its certificate for a good one. */
  readonly trust: readonly string[];
  /** Sends requests on to the service at `url`; before that each gets an empty page. */
  serve(url: string): void;
  /** Since it began: requests, and bytes of answers with their headers. */
  traffic(): { readonly requests: number; readonly bytes: number };
  stop(): void;
}

const EMPTY_PAGE = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Floor</title>
<h1>Floor</h1><button>Nothing</button>`;

/** Needs `openssl`, for a certificate of its own. */
export async function http2Front(): Promise<Http2Front> {
  const { key, cert } = selfSigned();
  const agent = new Agent({ keepAlive: true });
  let service: string | undefined;
  let requests = 0;
  const sockets: TLSSocket[] = [];
  const server = createSecureServer({ key, cert }, (incoming, outgoing) => {
    requests += 1;
    if (service === undefined) outgoing.writeHead(200, { "content-type": "text/html" }).end(EMPTY_PAGE);
    else pass(incoming, outgoing, service, agent);
  });
  server.on("secureConnection", (socket: TLSSocket) => void sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const spki = new X509Certificate(cert).publicKey.export({ type: "spki", format: "der" });
  return {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    trust: [`--ignore-certificate-errors-spki-list=${createHash("sha256").update(spki).digest("base64")}`],
    serve: (url) => {
      service = url;
    },
    traffic: () => ({ requests, bytes: sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0) }),
    stop: () => {
      agent.destroy();
      server.close();
    },
  };
}

/** Runs `work` with a browser that takes the front's certificate for a good one. */
export async function withBrowser<T>(front: Http2Front, work: (browser: Browser) => Promise<T>): Promise<T> {
  const { args, ...launch } = chromiumLaunch();
  const browser = await chromium.launch({ ...launch, args: [...args, ...front.trust] });
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

function selfSigned(): { readonly key: Buffer; readonly cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), "taglatch-front-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")] as const;
  try {
    const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    const named = ["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    execFileSync("openssl", [...made, ...named, "-keyout", key, "-out", cert], { stdio: "pipe" });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(folder, { recursive: true });
  }
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
    outgoing.writeHead(answer.statusCode ?? 502, { ...headers, "content-encoding": "gzip" });
    answer.pipe(createGzip()).pipe(outgoing);
  });
  onward.once("error", () => outgoing.stream.close());
  incoming.pipe(onward);
}
