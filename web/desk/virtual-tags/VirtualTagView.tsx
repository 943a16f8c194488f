import { type Accessor, createSignal, For, type JSX, onCleanup, onMount } from "solid-js";
import type { LabelPayload } from "../../../core/bag/payload.ts";
import { installVirtualTags, VirtualTagsError } from "../../../sim/install.ts";
import { type HandshakeFile, handshakeFile } from "../../../sim/replay/recorded-handshake.ts";
import type { Anchors, TagEvent, TagFaults, TagSnapshot, VirtualTag } from "../../../sim/tag/tag-types.ts";
import { sim } from "../../i18n/en-sim.ts";
import { bluetoothChanged } from "../../state/browser.ts";
import { Badge } from "../../ui/Controls.tsx";
import { Battery } from "../../ui/Progress.tsx";
import { TagDrawing } from "../../ui/TagDrawing.tsx";

/** One virtual tag: its e-paper, its state, and the switches that make it misbehave. */
export function VirtualTagView(props: { readonly watched: WatchedTag }): JSX.Element {
  const snapshot = () => props.watched.snapshot();
  const face = () => snapshot().display.content ?? undefined;
  return (
    <section class="virtual-tag">
      <div class="virtual-face">
        <TagDrawing
          face={face()}
          label={drawn(face())}
          refreshing={snapshot().display.state === "REFRESHING"}
        />
        <div class="stack stack-s small">
          <span class="row">
            <Badge tone={snapshot().connected ? "good" : "plain"}>
              {snapshot().connected ? sim.connected : sim.idle}
            </Badge>
            <Badge>
              <span class="code">{snapshot().state}</span>
            </Badge>
            <Battery
              level={snapshot().battery}
              low={snapshot().battery <= 20}
              label={sim.percent(snapshot().battery)}
            />
          </span>
          <p class="soft">
            <span class="code">{snapshot().id}</span> · {sim.generation(snapshot().generation)} ·{" "}
            {sim.commits(snapshot().commits)}
          </p>
        </div>
      </div>
      <Faults watched={props.watched} />
    </section>
  );
}

/** What an e-paper shows, in one sentence. */
export function drawn(label: LabelPayload | undefined): string {
  if (label === undefined) return sim.blankDrawing;
  return sim.bagDrawing(label.destinationCity ?? label.segments?.at(-1)?.airport ?? "", label.licencePlate);
}

interface Switch {
  readonly label: string;
  readonly on: (faults: TagFaults) => boolean;
  readonly set: (faults: TagFaults, on: boolean) => void;
  /** Further settings besides on and off; `set` applies a change to a fault that is on. */
  readonly details?: (set: (change: () => void) => void) => JSX.Element;
}

function Faults(props: { readonly watched: WatchedTag }): JSX.Element {
  const [operation, setOperation] = createSignal(8);
  const [when, setWhen] = createSignal<"before" | "after">("after");
  const [slow, setSlow] = createSignal(4);
  const switches = (): Switch[] => [
    { label: sim.lowBattery, on: (f) => f.lowBattery, set: (f, on) => (f.lowBattery = on) },
    {
      label: sim.refuse,
      on: (f) => f.refuseConnects > 0,
      set: (f, on) => (f.refuseConnects = on ? 2 : 0),
    },
    {
      label: sim.drop,
      on: (f) => f.dropAt !== null,
      set: (f, on) => (f.dropAt = on ? { operation: operation(), when: when() } : null),
      details: (set) => (
        <>
          <NumberField
            label={sim.dropAt}
            value={operation()}
            max={200}
            onChange={(value) => set(() => setOperation(value))}
          />
          <label class="fault-detail">
            {sim.dropWhen}
            <select
              onChange={(event) => {
                const chosen = event.currentTarget.value === "before" ? "before" : "after";
                set(() => setWhen(chosen));
              }}
            >
              <option value="after" selected={when() === "after"}>
                {sim.dropAfter}
              </option>
              <option value="before" selected={when() === "before"}>
                {sim.dropBefore}
              </option>
            </select>
          </label>
        </>
      ),
    },
    {
      label: sim.slow,
      on: (f) => f.slowDisplay !== null,
      set: (f, on) => (f.slowDisplay = on ? slow() * 1000 : null),
      details: (set) => (
        <NumberField
          label={sim.slowBy}
          value={slow()}
          max={60}
          onChange={(value) => set(() => setSlow(value))}
        />
      ),
    },
    {
      label: sim.wrongCertificate,
      on: (f) => f.wrongCertificate,
      set: (f, on) => (f.wrongCertificate = on),
    },
    { label: sim.outdatedTable, on: (f) => f.outdatedTable, set: (f, on) => (f.outdatedTable = on) },
    { label: sim.busy, on: (f) => f.busy, set: (f, on) => (f.busy = on) },
  ];
  return (
    <details class="faults">
      <summary>{sim.faults}</summary>
      <div class="faults-list">
        <For each={switches()}>{(item) => <FaultSwitch item={item} watched={props.watched} />}</For>
      </div>
    </details>
  );
}

function FaultSwitch(props: { readonly item: Switch; readonly watched: WatchedTag }): JSX.Element {
  const { faults } = props.watched.tag;
  const [on, setOn] = createSignal(props.item.on(faults));
  // A fault that happens once turns itself off: read the switch again whenever the tag has changed.
  const shown = () => {
    props.watched.snapshot();
    return on() && props.item.on(faults);
  };
  const turn = (to: boolean) => {
    props.item.set(faults, to);
    setOn(to);
    props.watched.look();
  };
  const change = (apply: () => void) => {
    apply();
    if (shown()) turn(true);
  };
  return (
    <div class="fault-row">
      <label class="fault">
        <input type="checkbox" checked={shown()} onChange={(event) => turn(event.currentTarget.checked)} />
        <span>{props.item.label}</span>
      </label>
      {props.item.details?.(change)}
    </div>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
}

function NumberField(props: NumberFieldProps): JSX.Element {
  return (
    <label class="fault-detail">
      {props.label}
      <input
        type="number"
        min="1"
        max={props.max}
        value={props.value}
        onChange={(event) => {
          if (event.currentTarget.validity.valid) props.onChange(event.currentTarget.valueAsNumber);
        }}
      />
    </label>
  );
}

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

/** Installs the virtual tags for as long as the panel is open, and watches them. */
export function createVirtualTags() {
  const [tags, setTags] = createSignal<readonly WatchedTag[]>([]);
  const [failed, setFailed] = createSignal<VirtualTagsError>();
  /** The chooser is open: the page replaces the browser's own. */
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
