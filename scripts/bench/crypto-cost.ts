/** What the client's cryptography costs in Chromium, at full speed and with the CPU throttled. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, chromium } from "playwright";
import { type Bytes, toBase64 } from "../../core/encoding/bytes.ts";
import { issueClientLeaf } from "../../core/pki/issue.ts";
import type { SuiteId } from "../../core/sec/suites.ts";
import { makeAuthorities, random } from "../../sdk/test-support/authorities.ts";
import { oneFile } from "../build/bundle-module.ts";
import { chromiumLaunch } from "../test/chromium.ts";
import type { CryptoInput, PortableCredential } from "./crypto-page.ts";

const WARM_UP = 5;
const ROUNDS = 31;

export interface CryptoCost {
  readonly what: string;
  readonly slowdown: number;
  /** Median of the rounds, in milliseconds. */
  readonly median: number;
}

interface Variant {
  readonly what: string;
  readonly suites: readonly SuiteId[];
  /** Makes the engine report that it lacks X25519. */
  readonly withoutX25519?: true;
}

const VARIANTS: readonly Variant[] = [
  { what: "suite 6, WebCrypto", suites: [6] },
  { what: "suite 3, WebCrypto", suites: [6, 3] },
  { what: "suite 6, X25519 by noble", suites: [6], withoutX25519: true },
];

/** Figures of every variant at 1× and 4×. */
export async function cryptoCosts(): Promise<CryptoCost[]> {
  const [script, people] = await Promise.all([oneFile("scripts/bench/crypto-page.ts"), cast()]);
  const server = await serve(script);
  const browser = await chromium.launch(chromiumLaunch());
  try {
    const costs: CryptoCost[] = [];
    for (const variant of VARIANTS)
      for (const slowdown of [1, 4]) costs.push(await cost(browser, server.url, people, variant, slowdown));
    return costs;
  } finally {
    await browser.close();
    await server.close();
  }
}

async function cost(
  browser: Browser,
  url: string,
  people: Awaited<ReturnType<typeof cast>>,
  { what, suites, withoutX25519 }: Variant,
  slowdown: number,
): Promise<CryptoCost> {
  const page = await browser.newPage();
  if (withoutX25519) await page.addInitScript(hideX25519);
  await page.goto(url);
  await page.waitForFunction(() => "benchCrypto" in globalThis);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  const input: CryptoInput = { ...people, suites, rounds: WARM_UP + ROUNDS };
  const figures = await page.evaluate(
    (given) =>
      (globalThis as unknown as { benchCrypto(input: CryptoInput): Promise<number[]> }).benchCrypto(given),
    input,
  );
  await page.close();
  const sorted = figures.slice(WARM_UP).sort((a, b) => a - b);
  return { what, slowdown, median: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN };
}

/** Runs in the page before anything else. */
function hideX25519(): void {
  const subtle = SubtleCrypto.prototype as unknown as Record<
    string,
    (...values: unknown[]) => Promise<unknown>
  >;
  for (const name of ["generateKey", "importKey"]) {
    const original = subtle[name] as (...values: unknown[]) => Promise<unknown>;
    subtle[name] = function (this: SubtleCrypto, ...values) {
      const named = values.some(
        (value) => value === "X25519" || (value as { name?: string })?.name === "X25519",
      );
      if (named) return Promise.reject(new DOMException("Unrecognized name.", "NotSupportedError"));
      return original.apply(this, values);
    };
  }
}

async function cast() {
  const authorities = await makeAuthorities();
  const { intermediate } = authorities;
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
  const { publicKey } = keys;
  const request = {
    issuer: intermediate,
    commonName: "client",
    publicKey,
    serial: random(16),
    now: new Date(),
  };
  const leaf = await issueClientLeaf(request);
  const tag = await authorities.tag("ebt-21-0001");
  return {
    client: await portable([leaf, intermediate.certificate], keys.privateKey),
    tag: await portable(tag.chain, tag.privateKey),
    clientRoot: toBase64(authorities.clientRoot),
    tagRoot: toBase64(authorities.tagRoot),
  };
}

async function portable(chain: readonly Bytes[], key: CryptoKey): Promise<PortableCredential> {
  return { chain: chain.map((der) => toBase64(der)), key: await crypto.subtle.exportKey("jwk", key) };
}

/** A page with `script` in it; localhost is a secure context. */
async function serve(script: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const isScript = request.url === "/bench.js";
    response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? script : '<!doctype html><script type="module" src="/bench.js"></script>');
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}/`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
