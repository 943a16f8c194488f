declare module "jsbarcode/bin/barcodes/ITF/index.js" {
  /** One Interleaved 2 of 5 symbol; `data` is one character per module, "1" for a bar. */
  export class ITF {
    constructor(digits: string, options: { readonly text?: string });
    valid(): boolean;
    encode(): { readonly data: string; readonly text: string };
  }
}

declare module "swagger-ui-dist/swagger-ui-bundle.js" {
  /** The options used here; the package brings no types. */
  interface Options {
    readonly url: string;
    readonly dom_id: string;
    readonly deepLinking: boolean;
    readonly docExpansion: "list" | "full" | "none";
    readonly defaultModelsExpandDepth: number;
    readonly validatorUrl: string | null;
  }
  const SwaggerUIBundle: (options: Options) => unknown;
  export default SwaggerUIBundle;
}
