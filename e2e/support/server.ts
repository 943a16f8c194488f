import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BUILT } from "../../scripts/build/build.ts";
import { beginDay } from "./day.ts";

/** What its airline offers to browsers without Bluetooth. */
export const KIOSKS = ["OSL Departure hall, row C", "FRA Terminal 1, hall B"];
export const IOS_BROWSER = "https://apps.example/a-browser";

export interface RunningServer {
  readonly url: string;
  /** Where its database is. */
  readonly stateDir: string;
  stop(): Promise<void>;
}

/** Starts `npm start` in a process of its own, with a free port and fresh state; it refuses 5 % of the nonces. */
export async function runServer(): Promise<RunningServer> {
  await beginDay();
  const stateDir = mkdtempSync(join(tmpdir(), "taglatch-e2e-"));
  const child = spawn("node", ["scripts/serve/start.ts"], {
    env: {
      ...process.env,
      ...{ PORT: "0", STATE_DIR: stateDir, [BUILT]: "1", VAR_CHAOS_NONCE_REJECT: "0.05" },
      ...{ VAR_KIOSKS: KIOSKS.join("\\n"), VAR_IOS_BROWSER: IOS_BROWSER },
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-4000);
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const ready = /^ready (\S+)/m.exec(output)?.[1];
      if (ready !== undefined) resolve(ready);
    });
    child.once("close", (code) => reject(new Error(`the server ended with ${code}: ${output}${errors}`)));
  });
  return {
    url,
    stateDir,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}
