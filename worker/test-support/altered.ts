/** `text`, base64url, with one character in its middle replaced: the bits of a last one may be unused, or the same already. */
export function altered(text: string): string {
  const middle = Math.floor(text.length / 2);
  return `${text.slice(0, middle)}${text[middle] === "A" ? "B" : "A"}${text.slice(middle + 1)}`;
}
