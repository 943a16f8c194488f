import { describe, expect, it } from "vitest";
import { violations } from "./zone-rules.ts";

const check = (files: Record<string, string>) => violations(new Map(Object.entries(files)));
const one = (path: string, text: string) => check({ [path]: text });

describe("import zones", () => {
  it.each([
    ["core/sec/a.ts", 'import { x } from "../pki/b.ts";'],
    ["core/sec/a.ts", 'import type { X } from "../../worker/b.ts";'],
    ["core/sec/a.ts", 'type X = import("../../web/b.ts").X;'],
    ["worker/app.ts", 'const x = await import("../web/sdk/client.ts");'],
    ["worker/routes/a.ts", 'export { x } from "../../db/schema.ts"; export const y = 1;'],
    ["web/sdk/a.ts", 'import type { Env } from "../../worker/env.ts";'],
    ["web/sdk/a.ts", 'import { TagSimulator } from "../sim/tag-simulator.ts";'],
    ["web/sim/a.ts", 'import { x } from "../sdk/client.ts";'],
    ["web/ui/a.tsx", 'import { x } from "../state/b.ts";'],
    ["web/pages/a.tsx", 'import { x } from "../sim/install.ts";'],
  ])("%s may not say %s", (path, text) => {
    expect(one(path, text)).toEqual([expect.stringContaining("may not import")]);
  });

  it.each([
    ["core/sec/a.ts", "@peculiar/x509"],
    ["web/sdk/a.ts", "solid-js"],
    ["web/sdk/a.ts", "@peculiar/x509"],
    ["worker/services/a.ts", "hono"],
    ["worker/routes/a.ts", "drizzle-orm"],
    ["core/api/a.ts", "node:crypto"],
    ["core/api/a.ts", "vitest"],
  ])("%s may not import the package %s", (path, name) => {
    expect(one(path, `import x from "${name}";`)).toEqual([expect.stringContaining(name)]);
  });

  it.each([
    ["core/sec/a.ts", 'import { x } from "../bytes.ts";'],
    ["core/sec/a.test.ts", 'import { it } from "vitest"; import x from "../vectors/b.json";'],
    ["core/pki/a.ts", 'import * as x from "@peculiar/x509";'],
    ["worker/routes/a.ts", 'import { x } from "../services/b.ts";'],
    ["web/pages/a.tsx", 'import type { VirtualTags } from "../sim/install.ts";'],
    ["web/pages/a.tsx", 'const x = await import("../sim/install.ts");'],
  ])("%s may say %s", (path, text) => {
    expect(one(path, text)).toEqual([]);
  });

  it("refuses an import() whose path is computed", () => {
    expect(one("web/app.tsx", "import(name);")).toEqual([expect.stringContaining("computed")]);
  });

  it("finds a cycle, through types too", () => {
    const found = check({
      "core/api/a.ts": 'import type { B } from "./b.ts"; export type A = B;',
      "core/api/b.ts": 'import { a } from "./a.ts"; export const b = a;',
    });
    expect(found).toEqual([expect.stringContaining("core/api/a.ts → core/api/b.ts → core/api/a.ts")]);
  });

  it("refuses a barrel anywhere but where one is named", () => {
    const text = 'export { a } from "./a.ts";';
    expect(one("core/api/index.ts", text)).toEqual([]);
    expect(one("core/sec/index.ts", text)).toEqual([expect.stringContaining("barrel")]);
  });

  it("keeps initiator and responder apart, at a distance too", () => {
    const found = check({
      "core/sec/initiator.ts": 'import { x } from "./shared.ts";',
      "core/sec/shared.ts": 'import { y } from "./responder.ts";',
      "core/sec/responder.ts": "export const y = 1;",
    });
    expect(found).toEqual([expect.stringContaining("never import each other")]);
  });
});

describe("names that are not everywhere allowed", () => {
  it.each([
    "Date.now();",
    "new Date();",
    "Math.random();",
    "console.log(1);",
    'fetch("/");',
    'globalThis.fetch("/");',
    "setTimeout(f, 1);",
    "const t = performance.now();",
    "export const f = { console };",
  ])("core may not say %s", (text) => {
    expect(one("core/sec/a.ts", text)).toEqual([expect.stringContaining("core has no clock")]);
  });

  it.each([
    "new Date(0);",
    "const console = 1; f(console);",
    "export const f = (fetch: () => void) => fetch();",
    "a.fetch();",
    "export interface A { fetch(): void }",
    "export const f = { fetch: 1 };",
  ])("core may say %s", (text) => {
    expect(one("core/sec/a.ts", text)).toEqual([]);
  });

  it.each([
    "navigator.bluetooth.requestDevice();",
    "const { bluetooth } = navigator;",
    'navigator["bluetooth"];',
    'if ("bluetooth" in navigator) f();',
    "(navigator as N).bluetooth;",
  ])("the page may not say %s outside the link", (text) => {
    expect(one("web/pages/a.ts", text)).toEqual([expect.stringContaining("navigator.bluetooth")]);
    expect(one("web/sdk/ble/web-bluetooth-link.ts", text)).toEqual([]);
  });
});
