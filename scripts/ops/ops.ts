/** `npm run ops -- …`: what an operator does to a deployment. OPS_STACK=1 shows where a failure came from. */
import { exitCodeOf } from "../../kit/command-line.ts";
import { operate } from "./operate.ts";
import { sentenceOf } from "./show.ts";

try {
  await operate(process.argv.slice(2), {
    print: (line) => console.log(line),
    note: (line) => console.error(line),
    env: process.env,
  });
} catch (error) {
  if (process.env.OPS_STACK === "1") throw error;
  console.error(sentenceOf(error));
  process.exitCode = exitCodeOf(error);
}
