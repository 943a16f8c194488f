/**
 * Writes the worked example of docs/protocol.md, core/vectors/protocol-example.json, from the fixed inputs in that file. Run it
 * after a change of the protocol: a test fails as long as the file differs.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { exampleOf } from "../../kit/vectors/protocol-example/example.ts";
import { EXAMPLE } from "../../kit/vectors/protocol-example/inputs.ts";
import { ROOT } from "../project-files.ts";

const VECTOR = join(ROOT, "core/vectors/protocol-example.json");

const { source, inputs } = EXAMPLE;
const example = await exampleOf(inputs);
writeFileSync(VECTOR, `${JSON.stringify({ source, inputs, ...example }, null, 2)}\n`);
console.log(`${example.steps.length} values written`);
