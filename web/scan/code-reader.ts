/** Finds a code in a picture, on this device. */
export interface CodeReader {
  /** The text of a code in the picture; undefined if there is none. Closes the picture. */
  read(picture: ImageBitmap): Promise<string | undefined>;
  /** Releases what reading needed; a reading under way rejects. */
  close(): void;
}

/** Messages between page and barcode reader: one answer to each question, in order. */
export interface ReaderQuestion {
  /** Absent: the reader only gets ready. */
  readonly picture?: ImageBitmap | undefined;
}

export interface ReaderAnswer {
  readonly text?: string | undefined;
  readonly failed?: boolean;
}
