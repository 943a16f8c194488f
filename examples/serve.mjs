/**
 * `node examples/serve.mjs html|element|bundled|capacitor [port]`: serves an example as its airline's own server would, with
 * `/taglatch-token` for its traveller, who is signed in. The key is the demo's: `npm start` trusts it.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createServer } from "vite";
import { tokenFor } from "./signer.mjs";

const [name = "html", port = "9000"] = process.argv.slice(2);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const jwk = JSON.parse(readFileSync(here("../db/demo/host-airline.jwk.json"), "utf8"));

const traveller = { id: "traveller-1", bookings: [{ recordLocator: "ABC123", surname: "Lovelace" }] };
const token = () =>
  tokenFor(traveller, jwk, { issuer: "https://host-airline.example", audience: "taglatch" });

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
