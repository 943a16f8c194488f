import { parseArgs } from "node:util";
import { isThere } from "../ops/options.ts";
import { WordsError } from "../ops/usage-error.ts";
import { deploySteps, missingIn, type Order, rehearsalSteps } from "./deploy-steps.ts";
import { ENVIRONMENTS, isEnvironment } from "./environment-names.ts";
import { runSteps } from "./steps.ts";

const USAGE =
  "npm run deploy -- staging|production --secrets FILE [--locator ABC123 --surname Lovelace] [--dry-run]";

function orderOf(words: readonly string[]): Order & { readonly isRehearsal: boolean } {
  const text = { type: "string" } as const;
  const options = { secrets: text, locator: text, surname: text, "dry-run": { type: "boolean" } } as const;
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...words], options, allowPositionals: true }),
  );
  const [environment, ...more] = positionals;
  if (!isEnvironment(environment) || more.length > 0)
    throw new WordsError(
      `${positionals.join(" ") || "nothing"} is no environment: ${ENVIRONMENTS.join(", ")}\n${USAGE}`,
    );
  const { secrets, locator, surname } = values;
  if (secrets !== undefined && !isThere(secrets, "file"))
    throw new WordsError(`--secrets names no file: ${secrets}`);
  if ((locator === undefined) !== (surname === undefined)) throw new WordsError(USAGE);
  const booking = locator === undefined || surname === undefined ? undefined : { locator, surname };
  return { environment, secrets, booking, isRehearsal: values["dry-run"] === true };
}

/** An unknown option is an error of words. */
function parsed<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (error instanceof TypeError) throw new WordsError(`${error.message}\n${USAGE}`);
    throw error;
  }
}

/** Deploys as `words` say, or rehearses it. Throws UsageError where a step failed, WordsError where the words were wrong. */
export async function deploy(words: readonly string[], print: (line: string) => void): Promise<void> {
  if (words.includes("--help")) return print(USAGE);
  const order = orderOf(words);
  if (!order.isRehearsal) return runSteps(deploySteps(order), print);
  await runSteps(rehearsalSteps(order), print);
  for (const fault of await missingIn(order.environment)) print(`TO DO  ${fault}`);
  print(
    `rehearsed: ${order.environment} was not touched; the whole is ${deploySteps(order)
      .map(({ name }) => name)
      .join(", ")}`,
  );
}
