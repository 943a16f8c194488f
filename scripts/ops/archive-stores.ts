import { link, mkdir, open, readFile, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AuditStore } from "../../worker/audit/seals/range.ts";

/** Where the operator's commands find ranges of the audit log that have left the database: a folder, or R2. */

export type Archive = Pick<AuditStore, "get">;

const hasCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;

/** Files of `folder`, named as the objects of a bucket: a copy of a bucket is such a folder. */
export const folderStore = (folder: string): AuditStore => ({
  async put(name, text) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    const draft = `${path}.${process.pid}.draft`;
    // On the disk: rows are deleted next.
    await writeFile(draft, text, { flush: true });
    try {
      // Whole or not at all, and never over another.
      await link(draft, path);
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
    } finally {
      await unlink(draft);
    }
    const names = await open(dirname(path));
    await names.sync().finally(() => names.close());
  },
  async get(name) {
    try {
      return await readFile(join(folder, name), "utf8");
    } catch (error) {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
  },
});

/** The deployment's bucket; `wrangler` runs a command and gives what it prints. */
export const remoteBucket = (
  { bucket_name, jurisdiction }: { readonly bucket_name: string; readonly jurisdiction?: string | undefined },
  wrangler: (args: readonly string[]) => Promise<string>,
): Archive => ({
  async get(name) {
    try {
      const within = jurisdiction === undefined ? [] : ["--jurisdiction", jurisdiction];
      const object = `${bucket_name}/${name}`;
      return await wrangler(["r2", "object", "get", object, "--remote", "--pipe", ...within]);
    } catch (error) {
      // wrangler has no other way to say so.
      if (error instanceof Error && error.message.includes("key does not exist")) return undefined;
      throw error;
    }
  },
});
