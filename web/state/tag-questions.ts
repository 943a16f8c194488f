import { type Accessor, createSignal } from "solid-js";
import type { OutboxEntry, OutboxEvent, Result, SettleResult, Taglatch } from "../../sdk/index.ts";

/** What a page that was closed in the middle could not learn, and only the tag can say. */
export interface TagQuestions {
  readonly open: Accessor<readonly OutboxEntry[]>;
  /** Lets the person hold the tag near: call it from a tap, it opens the chooser. */
  readonly ask: (question: OutboxEntry) => Promise<Result<SettleResult>>;
  /** The person cannot. */
  readonly putAway: (question: OutboxEntry) => Promise<void>;
  /** The tag was asked, and has not taken this. */
  readonly notTaken: Accessor<OutboxEntry | undefined>;
  readonly dismiss: () => void;
}

export function createTagQuestions(
  entries: Accessor<readonly OutboxEntry[]>,
  load: () => Promise<Taglatch>,
): TagQuestions & { readonly onEvent: (event: OutboxEvent) => void } {
  const [notTaken, setNotTaken] = createSignal<OutboxEntry>();
  return {
    open: () => entries().filter(({ question }) => question !== undefined),
    ask: async ({ uniqueDeviceId }) => askTag(await load(), uniqueDeviceId),
    putAway: async ({ id }) => (await load()).outbox.dismiss(id),
    notTaken,
    dismiss: () => void setNotTaken(undefined),
    onEvent: (event) => {
      if (event.type === "settled" && !event.written) setNotTaken(event.entry);
    },
  };
}

/** Chooser, connect, ask, hang up. */
async function askTag(client: Taglatch, uniqueDeviceId: string): Promise<Result<SettleResult>> {
  const picked = await client.pickTag({ uniqueDeviceId });
  if (!picked.ok) return picked;
  const { deviceId } = picked.value;
  const settled = await client.settleTag({ deviceId, uniqueDeviceId });
  await client.disconnect(deviceId);
  return settled;
}

/** Entries that wait for the service. */
export const waiting = (entries: readonly OutboxEntry[]) =>
  entries.filter(({ question }) => question === undefined);
