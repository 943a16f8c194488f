/** `npm run deploy -- staging|production`: everything between a commit and a service that writes tags. */
import { runCommand } from "../../kit/command-line.ts";
import { sentenceOf } from "../ops/show.ts";
import { DEPLOY, deploy } from "./deploy-command.ts";

await runCommand(DEPLOY, (given) => deploy(given, console.log), sentenceOf);
