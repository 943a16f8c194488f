/**
 * ZXing in a web worker of its own: the page stays responsive, and only the worker's policy allows
 * WebAssembly.
 */
import { trustedPolicy } from "../trusted-types.ts";
import readerUrl from "./barcode-reader.ts?worker&url";
import type { CodeReader, ReaderAnswer, ReaderQuestion } from "./code-reader.ts";

let policy: ReturnType<typeof trustedPolicy> | undefined;

/** Resolves once the reader has loaded; rejects where it cannot. */
export async function wasmReader(): Promise<CodeReader> {
  // Made once: the page's policy does not allow a second one of the same name.
  policy ??= trustedPolicy("barcode-reader", { createScriptURL: () => readerUrl });
  const worker = new Worker(policy.scriptUrl(readerUrl), { type: "module" });
  let giveUp: (reason: Error) => void = () => undefined;
  const ask = (picture?: ImageBitmap) =>
    new Promise<string | undefined>((resolve, reject) => {
      giveUp = reject;
      worker.onmessage = ({ data }: MessageEvent<ReaderAnswer>) =>
        data.failed ? reject(new Error("the reader failed")) : resolve(data.text);
      worker.onerror = () => reject(new Error("the reader did not load"));
      worker.postMessage({ picture } satisfies ReaderQuestion, picture ? [picture] : []);
    });
  const close = () => {
    worker.terminate();
    giveUp(new Error("the reader was closed"));
  };
  try {
    await ask();
  } catch (error) {
    close();
    throw error;
  }
  return { read: ask, close };
}
