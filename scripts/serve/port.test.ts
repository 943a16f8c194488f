import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BUILT } from "../build/build.ts";
import { ROOT } from "../project-files.ts";

/** `npm run dev` loads Vite and its plugins before it fails: by night, `npm run nightly -- tools`. */
const SCRIPTS = [
  ["start.ts", "npm start"],
  ...(process.env.TOOLS === undefined ? [] : [["dev.ts", "npm run dev"] as const]),
] as const;

const holder = createServer();
let taken = 0;

beforeAll(async () => {
  holder.listen({ host: "localhost", port: 0 });
  await once(holder, "listening");
  taken = (holder.address() as { port: number }).port;
});
afterAll(() => holder.close());

async function say(
  script: string,
  port: string,
  more: Record<string, string> = {},
): Promise<{ code: number | null; errors: string }> {
  const env = { ...process.env, PORT: port, ...more };
  const child = spawn(process.execPath, [join(ROOT, "scripts", "serve", script)], { env, stdio: "pipe" });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, errors };
}

test.each(SCRIPTS)("%s says that its port is taken and how to choose another", async (script, command) => {
  const { code, errors } = await say(script, String(taken));
  expect(code).toBe(1);
  expect(errors.trim()).toBe(
    `Port ${taken} is taken. Stop what uses it, or choose another: PORT=8788 ${command}`,
  );
});

test.each(SCRIPTS)("%s refuses a PORT that is none", async (script) => {
  const { code, errors } = await say(script, "http");
  expect(code).toBe(2);
  expect(errors.trim()).toBe("PORT is not a port: http");
});

test.each(SCRIPTS)("%s says that STATE_DIR cannot hold a database", async (script, command) => {
  const { code, errors } = await say(script, "0", { STATE_DIR: "package.json", [BUILT]: "1" });
  expect(code).toBe(1);
  expect(errors.trim()).toBe(
    "The database cannot be kept in package.json: the folder is not writable. " +
      `Choose another: STATE_DIR=.wrangler/state-2 ${command}`,
  );
});
