// Before everything else: @peculiar/x509 needs the Reflect API when its modules are evaluated.
import "reflect-metadata/lite";
import type { Bytes } from "../core/bytes.ts";
import { createApp } from "./app.ts";
import { type Bindings, readSettings } from "./env.ts";
import { createHostKeys } from "./host-keys.ts";
import { errorAnswer } from "./http.ts";

type App = ReturnType<typeof createApp>;

/** One application per set of bindings: keys are imported once, not per request. */
const apps = new WeakMap<Bindings, Promise<App>>();

async function start(bindings: Bindings): Promise<App> {
  return createApp({
    db: bindings.DB,
    settings: await readSettings(bindings),
    clock: () => Date.now(),
    random: (length): Bytes => crypto.getRandomValues(new Uint8Array(length)),
    hostKeys: createHostKeys((...request) => fetch(...request)),
    assets: bindings.ASSETS,
    log: (line) => console.log(JSON.stringify(line)),
  });
}

export default {
  async fetch(request, bindings) {
    let app = apps.get(bindings);
    if (app === undefined) {
      app = start(bindings);
      apps.set(bindings, app);
    }
    try {
      return await (await app).fetch(request);
    } catch (error) {
      console.error(
        JSON.stringify({ event: "cannot start", reason: error instanceof Error ? error.message : "?" }),
      );
      return errorAnswer(error);
    }
  },
} satisfies ExportedHandler<Bindings>;
