/** Finds a code in a picture, on this device. */
export interface CodeReader {
  /** The text of a code in the picture, which is closed by this; undefined where there is none. */
  read(picture: ImageBitmap): Promise<string | undefined>;
  /** Lets go of what reading needed; a reading under way rejects. */
  close(): void;
}
