import { build } from "../../scripts/build/build.ts";

/** Before the workers start: their servers must not build side by side. */
export default async function buildOnce(): Promise<void> {
  await build();
}
