/**
 * Removes from a page what browsers got after the oldest ones that docs/embed.md names for the SDK, so that every story
 * runs as there. Runs in the page, before its scripts: it refers to nothing outside.
 */
export function forgetNewerFunctions(): void {
  const newer: readonly (readonly [object, string])[] = [
    [Array, "fromAsync"],
    [ArrayBuffer.prototype, "transfer transferToFixedLength"],
    [Object, "groupBy"],
    [Map, "groupBy"],
    [Promise, "withResolvers try"],
    [RegExp, "escape"],
    [
      Set.prototype,
      "union intersection difference symmetricDifference isSubsetOf isSupersetOf isDisjointFrom",
    ],
    [Iterator, "from concat"],
    [Iterator.prototype, "map filter take drop flatMap reduce toArray forEach some every find"],
    [String.prototype, "isWellFormed toWellFormed"],
    [Uint8Array, "fromBase64 fromHex"],
    [Uint8Array.prototype, "toBase64 toHex setFromBase64 setFromHex"],
    [AbortSignal, "any"],
    [Blob.prototype, "bytes"],
    [Response.prototype, "bytes"],
    [ReadableStream, "from"],
    [URL, "parse canParse"],
    [URLSearchParams.prototype, "size"],
  ];
  for (const [owner, names] of newer)
    for (const name of names.split(" ")) Reflect.deleteProperty(owner, name);
  Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator);
}
