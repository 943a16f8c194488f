import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BUILT } from "../../scripts/build/build.ts";
import { start } from "../../scripts/run.ts";
import { beginDay } from "./day.ts";

/** What its airline offers to browsers without Bluetooth. */
const KIOSKS = ["OSL Departure hall, row C", "FRA Terminal 1, hall B"];
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
  const service = start("node", ["scripts/serve/start.ts"], {
    env: {
      ...process.env,
      ...{ PORT: "0", STATE_DIR: stateDir, [BUILT]: "1", VAR_CHAOS_NONCE_REJECT: "0.05" },
      ...{ VAR_KIOSKS: KIOSKS.join("\\n"), VAR_IOS_BROWSER: IOS_BROWSER },
    },
  });
  const [, url = ""] = await service.prints(/^ready (\S+)/m);
  return {
    url,
    stateDir,
    async stop() {
      await service.stop();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}
