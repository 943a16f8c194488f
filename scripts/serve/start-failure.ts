import { MigrationChanged } from "./migrate.ts";
import { chosenPort, fail, PortTakenError } from "./port.ts";

/** Where the database is, unless STATE_DIR says otherwise. */
export const STATE_DIR = process.env.STATE_DIR ?? ".wrangler/state";

/** For whoever starts a server by `command`: what a person can mend ends the process with a sentence, not a stack. */
export function endOnKnownFailure(error: unknown, command: string): never {
  if (error instanceof PortTakenError)
    fail(`Port ${chosenPort()} is taken. Stop what uses it, or choose another: PORT=8788 ${command}`);
  if (error instanceof MigrationChanged)
    fail(
      `The development database in ${STATE_DIR} is of an earlier version. Delete the folder and start again ` +
        `(demo data comes back by itself), or choose another: STATE_DIR=.wrangler/state-2 ${command}`,
    );
  throw error;
}
