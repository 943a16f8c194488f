/** For tests in workerd: a host's identity provider runs beside them in Node, at the address `hostIssuer`. */
import type { TestProject } from "vitest/node";
import { HostIssuer } from "./host-issuer.ts";

export default async function provideHostIssuer({ provide }: TestProject): Promise<() => Promise<void>> {
  const issuer = new HostIssuer();
  await issuer.listen();
  provide("hostIssuer", issuer.url);
  return () => issuer.close();
}

declare module "vitest" {
  interface ProvidedContext {
    hostIssuer: string;
  }
}
