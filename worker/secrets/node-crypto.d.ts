/** The one function of Node's crypto that WebCrypto lacks; workerd has it too (nodejs_compat). */
declare module "node:crypto" {
  export function scrypt(
    password: Uint8Array,
    salt: Uint8Array,
    length: number,
    options: { readonly N: number; readonly r: number; readonly p: number },
    callback: (error: Error | null, key: Uint8Array) => void,
  ): void;
}
