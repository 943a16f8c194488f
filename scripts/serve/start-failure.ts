import { BuildFailed } from "../build/build.ts";
import { MigrationChanged } from "./migrate.ts";
import { chosenPort, fail, PortForbiddenError, PortTakenError } from "./port.ts";
import { DatabaseFailure, databaseFailureOf, STATE_DIR, StateDirInUse, StateDirUnwritable } from "./state.ts";

/** For starting a server by `command`: a failure that a person can fix ends with a sentence, not a stack. */
export function endOnKnownFailure(error: unknown, command: string): never {
  if (error instanceof PortTakenError || isTakenDuringBuild(error))
    fail(`Port ${chosenPort()} is taken. Stop what uses it, or choose another: PORT=8788 ${command}`);
  if (error instanceof PortForbiddenError)
    fail(`You may not open port ${chosenPort()}. Choose one above 1023: PORT=8788 ${command}`);
  if (error instanceof StateDirInUse) fail(inUse(error, command));
  const failure = error instanceof DatabaseFailure ? error : databaseFailureOf(error);
  if (failure !== undefined) fail(DATABASE_SENTENCES[failure.code](command));
  if (error instanceof StateDirUnwritable)
    fail(
      `The database cannot be kept in ${STATE_DIR}: the folder is not writable. ` +
        `Choose another: STATE_DIR=.wrangler/state-2 ${command}`,
    );
  if (error instanceof MigrationChanged)
    fail(
      `The development database in ${STATE_DIR} is of an earlier version. Delete the folder and start again ` +
        `(demo data comes back by itself), or choose another: STATE_DIR=.wrangler/state-2 ${command}`,
    );
  if (error instanceof BuildFailed) fail(error.message);
  throw error;
}

/** Another process took the port while the build ran. */
const isTakenDuringBuild = (error: unknown) =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === "ERR_ADDRESS_IN_USE";

const inUse = ({ port }: StateDirInUse, command: string) =>
  `Another service ${port === undefined ? "is starting" : `runs on port ${port}`} with the database in ${STATE_DIR}. ` +
  `Stop it, or choose another port and folder: PORT=8788 STATE_DIR=.wrangler/state-2 ${command}`;

const DATABASE_SENTENCES: Readonly<Record<DatabaseFailure["code"], (command: string) => string>> = {
  disk_full: (command) =>
    `The disk is full. Free some space, or keep the database (now in ${STATE_DIR}) ` +
    `on another disk: STATE_DIR=/folder ${command}`,
  disk_failed: (command) =>
    `The disk does not read or write the database in ${STATE_DIR}. ` +
    `Check the disk, or keep the database on another: STATE_DIR=/folder ${command}`,
  database_damaged: (command) =>
    `The database in ${STATE_DIR} is damaged. Delete the folder and start again (demo data comes back by itself), ` +
    `or choose another: STATE_DIR=.wrangler/state-2 ${command}`,
};
