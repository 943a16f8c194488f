import type { TagDevice } from "./progress.ts";

/** A tag that shows a label which is probably another person's; it is locked to no one. */
export interface OtherLabelInfo {
  readonly device: TagDevice;
  /** Fires when the operation was cancelled: close the dialog. */
  readonly signal: AbortSignal;
}

/** The host's question. `keep` ends the operation with `OtherLabelError`, and the tag stays as it is. */
export type OnOtherLabel = (info: OtherLabelInfo) => "replace" | "keep" | Promise<"replace" | "keep">;
