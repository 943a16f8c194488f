/**
 * Names of remembered tags: the browser keeps the permission, and this file keeps the name from the last
 * connection.
 */
import type { TaglatchStorage } from "../storage.ts";
import type { PickedTag, RememberedTag } from "../types.ts";

export class TagNames {
  readonly #database: TaglatchStorage;

  constructor(database: TaglatchStorage) {
    this.#database = database;
  }

  /**
   * Stores the name of a tag that was reached, and returns the tag. A device without storage forgets the
   * name.
   */
  async keep(tag: PickedTag): Promise<PickedTag> {
    const names = await this.#read();
    if (tag.name !== names[tag.deviceId])
      await this.#database.write("tagNames", { ...names, [tag.deviceId]: tag.name }).catch(() => undefined);
    return tag;
  }

  /** The tags with a name: the others could not be distinguished. */
  async named(tags: readonly RememberedTag[]): Promise<readonly RememberedTag[]> {
    const names = await this.#read();
    return tags.flatMap(({ deviceId, name }) => {
      const known = names[deviceId] ?? name;
      return known ? { deviceId, name: known } : [];
    });
  }

  async #read(): Promise<Readonly<Record<string, string>>> {
    return (await this.#database.read("tagNames").catch(() => undefined)) ?? {};
  }
}
