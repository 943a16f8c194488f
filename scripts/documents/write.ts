/** `npm run documents`: writes the pages that are made from the sources. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../project-files.ts";
import { errorCatalogue } from "./error-catalogue.ts";
import { listenPage } from "./event-tables.ts";

writeFileSync(join(ROOT, "docs", "errors.md"), errorCatalogue());
writeFileSync(join(ROOT, "docs", "listen.md"), listenPage());
