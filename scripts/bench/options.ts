/** The number behind `--name` on the command line, or `usual`. Throws where it is no whole number above 0. */
export function optionOf(name: string, usual: number): number {
  const at = process.argv.indexOf(`--${name}`);
  if (at < 0) return usual;
  const value = Number(process.argv[at + 1]);
  if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`--${name} takes a whole number`);
  return value;
}
