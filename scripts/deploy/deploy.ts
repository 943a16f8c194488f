import { type CommandLine, type Given, runCommand, WordsError } from "../../kit/command-line.ts";
import { FILE } from "../ops/command.ts";
import { sentenceOf } from "../ops/show.ts";
import { deploySteps, missingIn, type Order, rehearsalSteps } from "./deploy-steps.ts";
import { ENVIRONMENTS, isEnvironment } from "./environment-names.ts";
import { runSteps } from "./steps.ts";

export const DEPLOY = {
  usage: "npm run deploy -- staging|production --secrets FILE [options]",
  words: { [ENVIRONMENTS.join("|")]: "which environment of wrangler.toml" },
  options: {
    secrets: { ...FILE, help: "the deployment's secrets, as `ops secrets` wrote them" },
    locator: { value: "locator", help: "of a booking fed for tests: a whole transfer at the end" },
    surname: { value: "name", help: "of the same booking" },
    "dry-run": { help: "do what needs no account, and change nothing anywhere" },
  },
} as const satisfies CommandLine;

export type DeployWords = Given<typeof DEPLOY.options>;

function orderOf({ values, words }: DeployWords): Order {
  const [environment, ...more] = words;
  if (!isEnvironment(environment) || more.length > 0)
    throw new WordsError(`${words.join(" ") || "nothing"} is no environment: ${ENVIRONMENTS.join(", ")}`);
  const { secrets, locator, surname } = values;
  if ((locator === undefined) !== (surname === undefined))
    throw new WordsError("--locator and --surname: both or neither");
  const booking = locator === undefined || surname === undefined ? undefined : { locator, surname };
  return { environment, secrets, booking };
}

/** Deploys as the words say, or rehearses it. Throws UsageError where a step failed, WordsError where the words were wrong. */
export async function deploy(given: DeployWords, print: (line: string) => void): Promise<void> {
  const order = orderOf(given);
  if (!given.values["dry-run"]) return runSteps(deploySteps(order), print);
  await runSteps(rehearsalSteps(order), print);
  for (const fault of await missingIn(order.environment)) print(`TO DO  ${fault}`);
  print(
    `rehearsed: ${order.environment} was not touched; the whole is ${deploySteps(order)
      .map(({ name }) => name)
      .join(", ")}`,
  );
}

/** `npm run deploy -- staging|production`: everything between a commit and a service that writes tags. */
if (import.meta.main) await runCommand(DEPLOY, (given) => deploy(given, console.log), sentenceOf);
