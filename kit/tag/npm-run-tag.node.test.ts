import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { fromBase64 } from "../../core/encoding/bytes.ts";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { toPem } from "../../core/pki/pem.ts";
import demoTagCa from "../../db/demo/tag-ca.json" with { type: "json" };
import { type Authorities, makeAuthorities } from "../../sdk/test-support/authorities.ts";
import { valueIn } from "../../sdk/test-support/value-in.ts";
import { Air } from "../phone/air.ts";
import { findTag } from "../phone/remote-tag.ts";
import { serialLine, VirtualController } from "../phone/virtual-controller.ts";
import { HciTransport } from "../radio/hci-transport.ts";
import { openRadio } from "../radio/open-radio.ts";
import { hostOver } from "../radio/peripheral.ts";
import { ADDRESS, passenger } from "../test-support/att-fixture.ts";
import { type Running, start } from "../test-support/running.ts";

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** What a tag asks a service for. */
async function configuration({ clientRoot, tokenJwk }: Authorities): Promise<string> {
  const body = JSON.stringify({ clientRoots: [toPem(clientRoot)], tokenKeys: { keys: [tokenJwk] } });
  const server = createServer((_request, response) => response.end(body)).listen(0, "127.0.0.1");
  endings.push(() => server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function started(...args: readonly string[]): Promise<Running> {
  return start(args, (end) => endings.push(end));
}

const shown = async ({ page }: Running) => (await fetch(page)).text();

/** A process each. */
const GENERATIONS = dailyOrFull(["2.1"] as const, ["2.1", "2.0"] as const);

test.each(GENERATIONS)(
  "a v%s tag on a serial line, in a process of its own, is written, loses its power, still shows its label, and is cleared",
  async (generation) => {
    const authorities = await makeAuthorities();
    const air = new Air();
    const line = await serialLine(new VirtualController(air, 1, { aclLength: 251, airLength: 251 }));
    endings.push(line.close);
    const folder = mkdtempSync(join(tmpdir(), "taglatch-tag-"));
    endings.push(() => rmSync(folder, { recursive: true, force: true }));
    const service = await configuration(authorities);
    const args = ["--radio", line.name, "--state", folder, "--service", service, "--generation", generation];
    const first = await started(...args);

    const transport = new HciTransport(new VirtualController(air, 2, { mtu: 247 }).stream);
    endings.push(() => transport.close());
    const remote = await findTag(await hostOver(transport, ADDRESS.central));
    const someone = passenger(remote, authorities);
    someone.service.configuration.tagRoots.push(toPem(fromBase64(demoTagCa.certificate)));
    const picked = valueIn(await someone.client.pickTag());
    expect(picked).toMatchObject({ uniqueDeviceId: first.id, generation });
    const request = { deviceId: picked.deviceId, uniqueDeviceId: first.id, baggageId: 3, journeyId: "j-1" };
    expect(valueIn(await someone.client.transferTag(request)).pendingRetry).toBe(false);
    expect(first.said()).toContain("0220654321");
    expect(await shown(first)).toContain("0220654321");

    await first.stop("SIGKILL");
    const second = await started(...args);
    expect(second.id).toBe(first.id);
    expect(await shown(second)).toContain("0220654321");
    expect(valueIn(await someone.client.clearTag(picked)).pendingRetry).toBe(false);
    expect(await shown(second)).not.toContain("0220654321");
  },
);

test("a controller whose line was closed goes off the air, and what it still says is lost", async () => {
  const controller = new VirtualController(new Air(), 1);
  const line = await serialLine(controller);
  line.close();
  while (!controller.stream.destroyed) {
    controller.fail();
    await setImmediate();
  }
});

test("without Python there is no line, and that is said", async () => {
  vi.stubEnv("PATH", "/nothing");
  endings.push(() => vi.unstubAllEnvs());
  const line = serialLine(new VirtualController(new Air(), 1));
  await expect(line).rejects.toMatchObject({ name: "RadioError", code: "no_python" });
});

/** A folder with a `sudo` that fails without a prompt, as after a wrong password. */
function refusingSudo(): string {
  const folder = mkdtempSync(join(tmpdir(), "taglatch-sudo-"));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "sudo"), "#!/bin/sh\necho 'sudo: 3 incorrect password attempts' >&2\nexit 1\n", {
    mode: 0o755,
  });
  return folder;
}

test.each([
  ["asks for the password again", () => `${refusingSudo()}:${process.env.PATH}`],
  ["says so where there is no sudo", () => refusingSudo().concat("/nothing")],
])("without root it %s", async (_name, path) => {
  vi.stubEnv("PATH", path());
  endings.push(() => vi.unstubAllEnvs());
  await expect(openRadio("hci0", true)).rejects.toMatchObject({ code: "no_root" });
});

test.each([
  [["--radio", "/dev/no-such-line"], "There is no line /dev/no-such-line"],
  [["--nonsense"], "Unknown option '--nonsense'"],
])("with %j ends with a sentence", async (args, sentence) => {
  const folder = mkdtempSync(join(tmpdir(), "taglatch-tag-"));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
  const service = await configuration(await makeAuthorities());
  const tag = started("--state", folder, "--service", service, ...args);
  await expect(tag).rejects.toThrow(sentence);
});
