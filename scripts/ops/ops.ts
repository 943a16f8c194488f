/** `npm run ops -- …`: what an operator does to a deployment. OPS_STACK=1 shows where a failure came from. */
import { operate } from "./operate.ts";

try {
  await operate(process.argv.slice(2), { print: (line) => console.log(line), env: process.env });
} catch (error) {
  if (process.env.OPS_STACK === "1") throw error;
  console.error(rootOf(error));
  process.exitCode = 1;
}

/** The database's or file system's message, without the statement, which holds hashes. */
function rootOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? rootOf(error.cause) : error.message;
}
