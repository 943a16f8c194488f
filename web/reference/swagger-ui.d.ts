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
