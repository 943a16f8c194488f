/** `npm run build`: the build, and a database for plain `wrangler dev` to find. */
import { build } from "./build.ts";
import { prepareState } from "./server.ts";

const started = performance.now();
const outcome = await build();
await prepareState(process.env.STATE_DIR ?? ".wrangler/state");
console.log(`${outcome} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
