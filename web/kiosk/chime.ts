/** Two short notes, made by the platform: no file to load, soft enough for a hall full of kiosks. */

const NOTES = [
  { hertz: 587, at: 0 },
  { hertz: 784, at: 0.16 },
] as const;
/** Seconds a note takes to fade, and how loud it begins (1 is full). */
const LENGTH = 0.3;
const LOUDNESS = 0.08;

/** Plays the chime; silent where the browser allows no sound yet. */
export function createChime(): () => void {
  let context: AudioContext | undefined;
  return () => {
    if (typeof AudioContext === "undefined") return;
    context ??= new AudioContext();
    // Refused until the first touch of the page; a warning that cannot be heard can still be seen.
    void context.resume().catch(() => undefined);
    for (const { hertz, at } of NOTES) playNote(context, hertz, context.currentTime + at);
  };
}

function playNote(context: AudioContext, hertz: number, from: number): void {
  const oscillator = new OscillatorNode(context, { type: "sine", frequency: hertz });
  const volume = new GainNode(context, { gain: 0 });
  volume.gain.setValueAtTime(0, from);
  volume.gain.linearRampToValueAtTime(LOUDNESS, from + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.0001, from + LENGTH);
  oscillator.connect(volume).connect(context.destination);
  oscillator.start(from);
  oscillator.stop(from + LENGTH);
}
