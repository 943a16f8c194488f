/** `npm run documents`: writes the pages that are made from the sources. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../project-files.ts";
import { GENERATED } from "./generated.ts";

for (const [name, text] of Object.entries(GENERATED)) writeFileSync(join(ROOT, "docs", name), text());
