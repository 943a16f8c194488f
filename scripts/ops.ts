/** `npm run ops -- …`: what an operator does to a deployment. */

import { operate } from "./ops/operate.ts";
import { UsageError } from "./ops/usage-error.ts";

try {
  await operate(process.argv.slice(2), { print: (line) => console.log(line), env: process.env });
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
