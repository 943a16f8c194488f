/** Finds a code in a picture, on this device. */
export interface CodeReader {
  /** The text of a code in the picture; undefined if there is none. Closes the picture. */
  read(picture: ImageBitmap): Promise<string | undefined>;
  /** Releases what reading needed; a reading under way rejects. */
  close(): void;
}
