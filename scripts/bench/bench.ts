/** `npm run bench -- NAME`: figures against goals, printed. Fails where a goal is missed. */

import { benchCapacity } from "./capacity.ts";
import { benchCost } from "./cost.ts";
import { benchCustody } from "./custody.ts";
import { benchFeeds } from "./feeds.ts";
import { benchFloor } from "./floor.ts";
import { benchPage } from "./page.ts";
import { benchScale } from "./scale.ts";
import { benchSec } from "./sec.ts";

const BENCHES: Readonly<Record<string, () => Promise<boolean>>> = {
  capacity: benchCapacity,
  cost: benchCost,
  custody: benchCustody,
  feeds: benchFeeds,
  floor: benchFloor,
  page: benchPage,
  scale: benchScale,
  sec: benchSec,
};

const [name = ""] = process.argv.slice(2);
const bench = BENCHES[name];
if (bench === undefined) {
  console.error(`Usage: npm run bench -- NAME, one of: ${Object.keys(BENCHES).join(", ")}`);
  process.exitCode = 2;
} else if (!(await bench())) process.exitCode = 1;
