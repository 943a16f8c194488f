/** As `npm start`, from the sources and with hot replacement: Vite serves the page, workerd the Worker. */
import { join, resolve } from "node:path";
import { ROOT } from "../project-files.ts";
import { chosenPort, requireFree } from "./port.ts";
import { endOnKnownFailure, STATE_DIR } from "./start-failure.ts";
import { announce, lockStateDir } from "./state.ts";

const port = chosenPort();
try {
  // Before anything else is loaded, so that a folder in use and a taken port are reported at once.
  lockStateDir(STATE_DIR);
  await requireFree("localhost", port);
  const { prepareState } = await import("./server.ts");
  await prepareState(STATE_DIR);
  const { writeOpenApi } = await import("../openapi/write.ts");
  writeOpenApi();
  const { writeStatements } = await import("../documents/statements.ts");
  writeStatements();
  const { writeSite } = await import("../documents/site.ts");
  writeSite();
} catch (error) {
  endOnKnownFailure(error, "npm run dev");
}
const { createServer } = await import("vite");
const server = await createServer({
  configFile: join(ROOT, "vite.config.ts"),
  logLevel: "warn",
  server: { port, strictPort: true },
});
await server.listen();
const url = new URL(server.resolvedUrls?.local[0] ?? `http://localhost:${port}`);
announce({ port: Number(url.port), stateDir: resolve(ROOT, STATE_DIR) });
console.log(`ready ${url.origin}`);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void server.close().then(() => process.exit(0)));
}
