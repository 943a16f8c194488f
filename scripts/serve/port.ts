import { createServer } from "node:net";
import { fail, portTaken, StartFailure } from "./start-failure.ts";

/** Throws {@link StartFailure} where `port` of `host` cannot be had. */
export async function requireFree(host: string, port: number): Promise<void> {
  const probe = createServer();
  await new Promise<void>((done, fail) => {
    probe.once("error", (cause: NodeJS.ErrnoException) => fail(refusalOf(port, cause)));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => done()));
  });
}

const refusalOf = (port: number, cause: NodeJS.ErrnoException) =>
  cause.code === "EACCES" ? new StartFailure(forbidden(port), { cause }) : portTaken(port, cause);

const forbidden = (port: number) => (command: string) =>
  `You may not open port ${port}. Choose one above 1023: PORT=8788 ${command}`;

/** PORT, 8787 where it is not set or empty; ends the process with a sentence where it is no port. */
export function chosenPort(): number {
  const port = Number(process.env.PORT || 8787);
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  return fail(`PORT is not a port: ${process.env.PORT}`, 2);
}
