/** The codes printed on paper in baggage handling, and their symbologies. */
export type CodeKind = "boarding-pass" | "licence-plate";

/** Names in the Shape Detection API, and those of ZXing. Boarding passes: IATA Res. 792; plates: Res. 740. */
const SYMBOLOGIES = {
  "boarding-pass": { native: ["pdf417", "aztec", "qr_code"], wasm: ["PDF417", "Aztec", "QRCode"] },
  "licence-plate": { native: ["itf"], wasm: ["ITF"] },
} as const satisfies Record<CodeKind, { native: readonly string[]; wasm: readonly string[] }>;

export const nativeFormats = (kinds: readonly CodeKind[]) =>
  kinds.flatMap((kind) => SYMBOLOGIES[kind].native);
export const wasmFormats = (kinds: readonly CodeKind[]) => kinds.flatMap((kind) => SYMBOLOGIES[kind].wasm);
