declare module "jsbarcode/bin/barcodes/ITF/index.js" {
  /** One Interleaved 2 of 5 symbol; `data` is one character per module, "1" for a bar. */
  export class ITF {
    constructor(digits: string, options: { readonly text?: string });
    valid(): boolean;
    encode(): { readonly data: string; readonly text: string };
  }
}
