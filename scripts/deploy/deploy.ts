/** `npm run deploy -- staging|production`: everything between a commit and a service that writes tags. */
import { exitCodeOf, sentenceOf } from "../ops/sentences.ts";
import { deploy } from "./deploy-command.ts";

try {
  await deploy(process.argv.slice(2), console.log);
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = exitCodeOf(error);
}
