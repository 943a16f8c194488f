import { chosenPort, requireFree } from "./port.ts";
import { requestText } from "./request-text.ts";
import { endOnKnownFailure } from "./start-failure.ts";
import { STATE_DIR } from "./state-dir.ts";

const port = chosenPort();

/** VAR_NAME=value in the environment overrides the Worker's var NAME for this run. */
const vars = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith("VAR_") && value !== undefined ? [[name.slice("VAR_".length), value]] : [],
  ),
);

const host = process.env.HOST ?? "localhost";
try {
  // Before the runtime is loaded, so that a taken port is reported at once.
  await requireFree(host, port);
  const { startServer } = await import("./server.ts");
  const server = await startServer({
    port,
    host,
    vars,
    log: (line) => console.error(process.env.LOG === "json" ? line : requestText(line)),
    stateDir: STATE_DIR,
  });
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
