import { resolve } from "node:path";
import { runCommand } from "../../kit/command-line.ts";
import { ROOT } from "../project-files.ts";
import { chosenPort, requireFree } from "./port.ts";
import { requestText } from "./request-text.ts";
import { runOnSchedule } from "./scheduled-runs.ts";
import { endOnKnownFailure } from "./start-failure.ts";
import { announce, lockStateDir, STATE_DIR } from "./state.ts";

const START = {
  usage: `npm start: builds, migrates, seeds and serves on this machine. It takes no options, but from the environment:
  PORT=8788 STATE_DIR=.wrangler/state-2   another port, another folder for the database
  HOST=0.0.0.0                            for other machines too
  LOG=json                                logs as a deployment does
  VAR_NAME=value                          the Worker's var NAME for this run`,
  options: {},
};

/** VAR_NAME=value in the environment overrides the Worker's var NAME for this run. */
const vars = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith("VAR_") && value !== undefined ? [[name.slice("VAR_".length), value]] : [],
  ),
);

/** The line of a run that had nothing to send. */
const IDLE = /"route":"webhooks",.*"events":0,"failed":0/;
async function start(): Promise<void> {
  const port = chosenPort();
  const host = process.env.HOST || "localhost";
  try {
    // Before the runtime is loaded, so that a folder in use and a taken port are reported at once.
    const lock = lockStateDir(STATE_DIR, port);
    await requireFree(host, port);
    const { startServer } = await import("./server.ts");
    const server = await startServer({
      port,
      host,
      vars,
      log: (line) => {
        if (!IDLE.test(line)) console.error(process.env.LOG === "json" ? line : requestText(line));
      },
      stateDir: STATE_DIR,
    });
    const served = Number(new URL(server.url).port);
    lock.writePort(served);
    announce({ port: served, stateDir: resolve(ROOT, STATE_DIR) });
    // Loaded here: it takes wrangler, as the server does.
    const { wranglerConfig } = await import("../deploy/wrangler-config.ts");
    runOnSchedule(server, wranglerConfig().triggers.crons ?? []);
    const at = (path: string) => `${server.url}${path}`;
    console.log(
      `ready ${server.url}  virtual tags ${at("/?sim")}  interface ${at("/docs")}  kiosk ${at("/kiosk/setup?sim")}`,
    );
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => void server.stop().then(() => process.exit(0)));
    }
  } catch (error) {
    endOnKnownFailure(error, "npm start");
  }
}

await runCommand(START, start);
