import { createServer } from "node:net";

/** A port somebody else has. */
export class PortTakenError extends Error {
  override readonly name = "PortTakenError";
}

/** Throws {@link PortTakenError} where `port` of `host` cannot be had. */
export async function requireFree(host: string, port: number): Promise<void> {
  const probe = createServer();
  await new Promise<void>((done, fail) => {
    probe.once("error", (cause) => fail(new PortTakenError(`port ${port} is taken`, { cause })));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => done()));
  });
}

/** PORT, 8787 where it is not set; ends the process with a sentence where it is no port. */
export function chosenPort(): number {
  const port = Number(process.env.PORT ?? 8787);
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  return fail(`PORT is not a port: ${process.env.PORT}`);
}

/** Ends the process with a sentence instead of a stack. */
export function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
