/** The words of a command were wrong, or it cannot be done; the message says how, for the person who typed them. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
