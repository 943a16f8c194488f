import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openApi } from "../../core/api/openapi/document.ts";
import { ROOT } from "../project-files.ts";
import { readDescriptions } from "./descriptions.ts";

/** A file of the build like any other: Vite copies what is in this folder. */
const FILE = join(ROOT, "web", "public", "openapi.json");

/** The document as it is served. */
export const openApiText = () => `${JSON.stringify(openApi(readDescriptions()))}\n`;

/** Writes the OpenAPI document to where the page's files are. */
export function writeOpenApi(): void {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, openApiText());
}
