/** Pictures small enough to keep in the repository: half the pixels where there are many, few colours. */
import sharp from "sharp";

/** With fewer, a letter's grey and a button's blue compete for a place, and the winner changes from run to run. */
const COLOURS = 64;
/** Wider ones are pictures of kiosks. */
const WIDEST = 600;

export async function smallPicture(png: Buffer): Promise<Buffer> {
  const picture = sharp(png);
  const { width } = await picture.metadata();
  if (width > WIDEST) picture.resize({ width: Math.round(width / 2), kernel: "linear" });
  return picture
    .png({ palette: true, colours: COLOURS, dither: 0, effort: 7, compressionLevel: 9 })
    .toBuffer();
}
