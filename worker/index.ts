// Before everything else: @peculiar/x509 needs the Reflect API when its modules are evaluated.
import "reflect-metadata/lite";
import { type Bytes, toHex } from "../core/bytes.ts";
import { createApp } from "./app.ts";
import { type Bindings, readSettings } from "./env.ts";
import { createHostKeys } from "./host-keys.ts";
import { errorAnswer } from "./http.ts";

const random = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length));

type App = ReturnType<typeof createApp>;

/** One application per set of bindings: keys are imported once, not per request. */
const apps = new WeakMap<Bindings, Promise<App>>();

async function start(bindings: Bindings): Promise<App> {
  return createApp({
    db: bindings.DB,
    settings: await readSettings(bindings),
    clock: () => Date.now(),
    random,
    hostKeys: createHostKeys((...request) => fetch(...request)),
    assets: bindings.ASSETS,
    lookupLimit: bindings.LOOKUP_LIMIT,
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
      const response = errorAnswer(error);
      response.headers.set("X-Request-Id", toHex(random(16)));
      response.headers.set("Cache-Control", "no-store");
      return response;
    }
  },
} satisfies ExportedHandler<Bindings>;
