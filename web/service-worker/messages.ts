/** The messages between page and service worker, all in one place. */

/** Page → worker: the person agreed to the new version. */
export const SKIP_WAITING = "SKIP_WAITING";

/** Page → worker: keep the files in these folders of /assets (`folders`), too. */
export const KEEP_FILES = "KEEP_FILES";

/** Worker → pages: outboxes were flushed in the background (`sentIds`: what was sent); read them again. */
export const OUTBOX_FLUSHED = "OUTBOX_FLUSHED";

/** Identifies the waiting outbox: the sync tag names the SDK's audience and database. */
export interface WaitingOutbox {
  readonly audience: "passenger" | "kiosk";
  readonly databaseName: string;
}

export const syncTag = ({ audience, databaseName }: WaitingOutbox) => `outbox:${audience}:${databaseName}`;

/** Undefined for the tags of other code. */
export function outboxOf(tag: string): WaitingOutbox | undefined {
  const [, audience, databaseName] = /^outbox:(passenger|kiosk):([\w-]+)$/.exec(tag) ?? [];
  if (databaseName === undefined) return undefined;
  return { audience: audience === "kiosk" ? "kiosk" : "passenger", databaseName };
}
