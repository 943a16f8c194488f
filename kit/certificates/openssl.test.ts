import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { toPem } from "../../core/pki/pem.ts";
import { NOW, type TestPki, testPki } from "../../core/pki/test-support.ts";

/** What OpenSSL, which shares nothing with us, says about what we issue. */

const folder = mkdtempSync(join(tmpdir(), "taglatch-pki-"));
let pki: TestPki;

beforeAll(async () => {
  pki = await testPki();
});

afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, ...certificates: Bytes[]): string {
  const path = join(folder, name);
  writeFileSync(path, certificates.map(toPem).join(""));
  return path;
}

function openssl(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr, error } = spawnSync("openssl", args, { encoding: "utf8" });
  if (error !== undefined) throw error;
  return { status, output: stdout + stderr };
}

const AT = String(Math.floor(NOW.getTime() / 1000) + 60);
const verify = (...args: string[]) => openssl("verify", "-x509_strict", "-attime", AT, ...args);

describe("openssl verify", () => {
  it("accepts the client's chain for TLS client authentication", () => {
    const root = file("root.pem", pki.root.certificate);
    const intermediate = file("intermediate.pem", pki.intermediate.certificate);
    const leaf = file("leaf.pem", pki.clientLeaf);
    const { status, output } = verify(
      "-purpose",
      "sslclient",
      "-CAfile",
      root,
      "-untrusted",
      intermediate,
      leaf,
    );
    expect(output).toContain("leaf.pem: OK");
    expect(status).toBe(0);
  });

  it("accepts a tag's leaf under its CA", () => {
    const { status, output } = verify(
      "-CAfile",
      file("ca.pem", pki.tagCa.certificate),
      file("tag.pem", pki.tagLeaf),
    );
    expect(output).toContain("tag.pem: OK");
    expect(status).toBe(0);
  });

  it("refuses the client's leaf without its intermediate, and as a tag", () => {
    const leaf = file("leaf.pem", pki.clientLeaf);
    expect(verify("-CAfile", file("root.pem", pki.root.certificate), leaf).status).not.toBe(0);
    expect(verify("-CAfile", file("ca.pem", pki.tagCa.certificate), leaf).status).not.toBe(0);
  });
});

describe("openssl x509", () => {
  const text = (certificate: Bytes) =>
    openssl("x509", "-noout", "-text", "-in", file("one.pem", certificate)).output;

  it.each([
    [
      "the client leaf as the profile says",
      () => pki.clientLeaf,
      [
        /Basic Constraints: critical\s+CA:FALSE/,
        /Key Usage: critical\s+Digital Signature\s/,
        /Extended Key Usage: critical\s+TLS Web Client Authentication, 1\.3\.6\.1\.4\.1\.99999\.1\.1\s/,
        /Not Before: Jun {2}1 12:00:00 2026 GMT/,
        /Not After : Jun {2}8 12:00:00 2026 GMT/,
        /f0:f0:f0:f0:f0:f0:f0:f0:f0:f0:f0:f0:f0:f0:f0:04/,
      ],
    ],
    [
      "the device id and the end of a tag leaf",
      () => pki.tagLeaf,
      [
        /Subject: serialNumber ?= ?ebt-21-0001/,
        /Not After : Dec 31 23:59:59 9999 GMT/,
        /Extended Key Usage: critical\s+1\.3\.6\.1\.4\.1\.99999\.1\.2\s/,
      ],
    ],
    [
      "the intermediate's path length and what it may sign",
      () => pki.intermediate.certificate,
      [
        /Basic Constraints: critical\s+CA:TRUE, pathlen:0/,
        /Key Usage: critical\s+Certificate Sign, CRL Sign/,
      ],
    ],
  ] as const)("reads %s", (_what, certificate, lines) => {
    const output = text(certificate());
    for (const line of lines) expect(output).toMatch(line);
  });
});
