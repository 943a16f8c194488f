import { type Accessor, createSignal, onCleanup, onMount } from "solid-js";
import { installVirtualTags, VirtualTagsError } from "../../../sim/install.ts";
import { type HandshakeFile, handshakeFile } from "../../../sim/replay/recorded-handshake.ts";
import type { Anchors, TagEvent, TagSnapshot, VirtualTag } from "../../../sim/tag/tag-types.ts";
import { bluetoothChanged } from "../../state/browser.ts";

/** Lines kept per tag: enough for several transfers, without filling the page's memory. */
const KEPT = 600;

export interface WatchedTag {
  readonly tag: VirtualTag;
  readonly snapshot: Accessor<TagSnapshot>;
  readonly events: Accessor<readonly TagEvent[]>;
  readonly forget: () => void;
  /** The handshakes among the events, as a file for `npm run sec:verify`. */
  readonly handshakes: () => Promise<HandshakeFile>;
  /** Call it after a fault switch was turned: the snapshot may differ. */
  readonly look: () => void;
}

export interface Choosing {
  readonly tags: readonly VirtualTag[];
  readonly answer: (tag: VirtualTag | undefined) => void;
}

export interface VirtualTagsState {
  readonly tags: Accessor<readonly WatchedTag[]>;
  readonly failed: Accessor<VirtualTagsError | undefined>;
  /** The chooser is open: the page replaces the browser's own. */
  readonly choosing: Accessor<Choosing | undefined>;
}

/** Installs the virtual tags for as long as the panel is open, and watches them. */
export function createVirtualTags(): VirtualTagsState {
  const [tags, setTags] = createSignal<readonly WatchedTag[]>([]);
  const [failed, setFailed] = createSignal<VirtualTagsError>();
  const [choosing, setChoosing] = createSignal<Choosing>();
  const ends: (() => void)[] = [];
  let isLeft = false;

  const install = async () => {
    const handle = await installVirtualTags();
    if (isLeft) return handle.uninstall();
    handle.chooser = (fitting) =>
      new Promise((resolve) => {
        setChoosing({
          tags: fitting,
          answer: (tag) => {
            setChoosing(undefined);
            resolve(tag);
          },
        });
      });
    bluetoothChanged();
    ends.push(() => {
      handle.uninstall();
      bluetoothChanged();
    });
    setTags(handle.tags.map((tag) => watch(tag, handle.anchors, ends)));
  };

  onMount(async () => {
    try {
      await install();
    } catch (thrown) {
      setFailed(
        thrown instanceof VirtualTagsError ? thrown : new VirtualTagsError("unreachable", { cause: thrown }),
      );
    }
  });
  onCleanup(() => {
    isLeft = true;
    for (const end of ends) end();
  });

  return { tags, failed, choosing };
}

function watch(tag: VirtualTag, anchors: Anchors, ends: (() => void)[]): WatchedTag {
  const [snapshot, setSnapshot] = createSignal(tag.snapshot(), { equals: false });
  const [events, setEvents] = createSignal<readonly TagEvent[]>([]);
  const look = () => setSnapshot(tag.snapshot());
  ends.push(
    tag.observe((event) => {
      setEvents((now) => [...now.slice(1 - KEPT), event]);
      look();
    }),
  );
  return {
    tag,
    snapshot,
    events,
    forget: () => setEvents([]),
    handshakes: () => handshakeFile(events(), anchors),
    look,
  };
}
