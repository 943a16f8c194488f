/** Messages between page and barcode reader: one answer to each question, in order. */
import type { wasmFormats } from "./code-kinds.ts";

export interface ReaderQuestion {
  readonly formats: ReturnType<typeof wasmFormats>;
  /** Absent: the reader only gets ready. */
  readonly picture?: ImageBitmap | undefined;
}

export interface ReaderAnswer {
  readonly text?: string | undefined;
  readonly failed?: boolean;
}
