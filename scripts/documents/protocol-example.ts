/**
 * Writes the worked example of docs/protocol.md and core/vectors/protocol-example.json anew, from the fixed inputs in
 * that file. Run it after a change of the protocol: a test fails as long as one of them differs.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exampleOf } from "../../kit/vectors/protocol-example/example.ts";
import { EXAMPLE } from "../../kit/vectors/protocol-example/inputs.ts";
import { ROOT } from "../project-files.ts";
import { exampleSection, withSection } from "./section.ts";

const DOCUMENT = join(ROOT, "docs/protocol.md");
const VECTOR = join(ROOT, "core/vectors/protocol-example.json");

const { source, inputs } = EXAMPLE;
const example = await exampleOf(inputs);
writeFileSync(VECTOR, `${JSON.stringify({ source, inputs, ...example }, null, 2)}\n`);
const document = readFileSync(DOCUMENT, "utf8");
writeFileSync(DOCUMENT, withSection(document, "example", exampleSection(example)));
console.log(`${example.steps.length} values written`);
