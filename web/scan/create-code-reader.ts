import type { CodeKind } from "./code-kinds.ts";
import type { CodeReader } from "./code-reader.ts";
import { nativeReader } from "./native-reader.ts";

/**
 * The browser's own detector if it knows all the symbologies needed, else a wasm one, loaded now. Rejects if
 * that cannot be loaded.
 */
export async function createCodeReader(kinds: readonly CodeKind[]): Promise<CodeReader> {
  const native = await nativeReader(kinds);
  if (native) return native;
  const { wasmReader } = await import("./wasm-reader.ts");
  return wasmReader(kinds);
}
