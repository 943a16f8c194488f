import type { Taglatch } from "../../sdk/index.ts";
import { ServiceError } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";

/** The SDK, made at the first call; callers get it when `onMade` is over. */
export function createLoad(
  create: () => Promise<Taglatch>,
  onMade: (client: Taglatch) => Promise<void>,
): () => Promise<Taglatch> {
  const { ready } = useI18n();
  let client: Promise<Taglatch> | undefined;
  const make = async () => {
    try {
      const made = await create();
      await onMade(made);
      return made;
    } catch (cause) {
      // Not remembered: the next tap tries again.
      client = undefined;
      throw new ServiceError("network", "the SDK could not be loaded", { cause });
    }
  };
  return () => {
    // Whatever needs the SDK may fail, so the sentences for errors are loaded with it.
    ready("errors");
    client ??= make();
    return client;
  };
}
