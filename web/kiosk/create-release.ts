import { type Accessor, createSignal, onCleanup } from "solid-js";
import type { PickedTag, Result, Taglatch } from "../../sdk/index.ts";
import { asTaglatchError, type CustodyHints, type TaglatchError } from "../../sdk/index.ts";
import { next, type ReleaseEvent, type ReleaseState } from "./release.ts";

/** Why a lock may be opened. The key itself goes to the audit log. */
export const REASONS = ["stranded", "handover", "rebooked", "fault"] as const;
export type Reason = (typeof REASONS)[number];

export interface Release {
  readonly state: Accessor<ReleaseState>;
  readonly tag: Accessor<PickedTag | undefined>;
  readonly hints: Accessor<CustodyHints | undefined>;
  readonly error: Accessor<TaglatchError | undefined>;
  /** Opens the chooser: call it from a tap. */
  readonly pick: () => void;
  /** The tag is known already. */
  readonly take: (tag: PickedTag) => void;
  readonly open: (reason: Reason) => void;
}

/** Opens the lock of one tag as staff (`POST /v2/lock-releases`). */
export function createRelease(load: () => Promise<Taglatch>): Release {
  const [state, setState] = createSignal<ReleaseState>("ready");
  const [tag, setTag] = createSignal<PickedTag>();
  const [hints, setHints] = createSignal<CustodyHints>();
  const [error, setError] = createSignal<TaglatchError>();
  const abort = new AbortController();
  const { signal } = abort;
  const send = (event: ReleaseEvent) => setState((now) => next(now, event));
  onCleanup(() => abort.abort());

  /** The value, or undefined with the failure told. */
  const answerOf = async <T>(
    call: (client: Taglatch) => Promise<Result<T>>,
  ): Promise<{ readonly value: T } | undefined> => {
    setError(undefined);
    const answer = await load()
      .then(call)
      .catch((thrown: unknown) => ({ ok: false as const, error: asTaglatchError(thrown) }));
    if (answer.ok) return answer;
    if (answer.error.code === "cancelled") {
      send("cancelled");
      return undefined;
    }
    setError(answer.error);
    send("failed");
    return undefined;
  };

  const look = async (picked: PickedTag) => {
    setTag(picked);
    send("picked");
    const answer = await answerOf((client) => client.tags.lookUp(picked.uniqueDeviceId, { signal }));
    if (answer === undefined) return;
    setHints(hintsOf(answer.value));
    send(answer.value.locked === true ? "locked" : "unlocked");
  };

  const pick = async () => {
    const picked = await answerOf((client) => client.pickTag({ signal }));
    if (picked === undefined) return;
    // Nothing is written here: the tag is free for others at once.
    await (await load()).disconnect(picked.value.deviceId);
    await look(picked.value);
  };

  const open = async (uniqueDeviceId: string, reason: Reason) => {
    const answer = await answerOf((client) => client.tags.release(uniqueDeviceId, reason, { signal }));
    if (answer !== undefined) send("opened");
  };

  return {
    state,
    tag,
    hints,
    error,
    pick: () => {
      if (next(state(), "pick") === state()) return;
      send("pick");
      void pick();
    },
    take: (known) => void look(known),
    open: (reason) => {
      const known = tag();
      if (state() !== "asking" || known === undefined) return;
      send("open");
      void open(known.uniqueDeviceId, reason);
    },
  };
}

/** Absent where the lock is the caller's own. */
function hintsOf({ hints }: { readonly hints?: CustodyHints | undefined }): CustodyHints | undefined {
  return hints;
}
