/** `npm run build`: the build, and a database for plain `wrangler dev` to find. */

import { prepareState } from "../serve/server.ts";
import { endOnKnownFailure, STATE_DIR } from "../serve/start-failure.ts";

import { build } from "./build.ts";

const started = performance.now();
const outcome = await build();
await prepareState(STATE_DIR).catch((error: unknown) => endOnKnownFailure(error, "npm run build"));
console.log(`${outcome} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
