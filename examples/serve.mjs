/**
 * `node examples/serve.mjs html|element|bundled [port]`: serves an example as its airline's own server would, with
 * `/taglatch-token` for its traveller, who is signed in. The key is the demo's: `npm start` trusts it.
 */
import { createPrivateKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createServer } from "vite";

const [name = "html", port = "9000"] = process.argv.slice(2);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const jwk = JSON.parse(readFileSync(here("../db/demo/host-airline.jwk.json"), "utf8"));

/** docs/embed.md, "Your travellers' login", says what is in it. */
function token() {
  const now = Math.floor(Date.now() / 1_000);
  const header = { alg: jwk.alg, typ: "JWT", kid: jwk.kid };
  const claims = {
    ...{ iss: "https://host-airline.example", aud: "taglatch", sub: "traveller-1", iat: now, exp: now + 120 },
    travel_plans: [{ recordLocator: "ABC123", surname: "Lovelace" }],
  };
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part(header)}.${part(claims)}`;
  const key = createPrivateKey({ key: jwk, format: "jwk" });
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}

const server = await createServer({
  root: here(name),
  configFile: false,
  logLevel: "warn",
  cacheDir: here("../.cache/examples"),
  server: { port: Number(port), strictPort: true },
  plugins: [
    {
      name: "host-airline",
      configureServer: ({ middlewares }) =>
        void middlewares.use("/taglatch-token", (_request, response) => response.end(token())),
    },
  ],
});
await server.listen();
console.log(`ready ${server.resolvedUrls.local[0]}?virtual=EBT-0001`);
