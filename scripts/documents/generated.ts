import { errorCatalogue } from "./error-catalogue.ts";
import { listenPage } from "./event-tables.ts";

/** Files of docs/ that are made from the sources: `npm run documents` writes them, and a test compares them. */
export const GENERATED: Readonly<Record<string, () => string>> = {
  "errors.md": errorCatalogue,
  "listen.md": listenPage,
};
