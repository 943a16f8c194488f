import { defineConfig } from "drizzle-kit";

/** `drizzle-kit generate` turns the tables of db/schema.ts into the next file of db/migrations. */
export default defineConfig({
  dialect: "sqlite",
  schema: "./db/schema.ts",
  out: "./db/migrations",
});
