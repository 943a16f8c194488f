import { createServer } from "node:net";

/** A port that another process has. */
export class PortTakenError extends Error {
  override readonly name = "PortTakenError";
}

/** A port this user may not open. */
export class PortForbiddenError extends Error {
  override readonly name = "PortForbiddenError";
}

/** Throws {@link PortTakenError} or {@link PortForbiddenError} where `port` of `host` cannot be had. */
export async function requireFree(host: string, port: number): Promise<void> {
  const probe = createServer();
  await new Promise<void>((done, fail) => {
    probe.once("error", (cause: NodeJS.ErrnoException) => fail(refusalOf(port, cause)));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => done()));
  });
}

const refusalOf = (port: number, cause: NodeJS.ErrnoException) =>
  cause.code === "EACCES"
    ? new PortForbiddenError(`port ${port} is not for this user`, { cause })
    : new PortTakenError(`port ${port} is taken`, { cause });

/** PORT, 8787 where it is not set or empty; ends the process with a sentence where it is no port. */
export function chosenPort(): number {
  const port = Number(process.env.PORT || 8787);
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  return fail(`PORT is not a port: ${process.env.PORT}`, 2);
}

/** Ends the process with a sentence instead of a stack; 2 where the words of the command were wrong. */
export function fail(sentence: string, code: 1 | 2 = 1): never {
  console.error(sentence);
  process.exit(code);
}
