import { ITF } from "jsbarcode/bin/barcodes/ITF/index.js";
import { For, Index, type JSX, Show } from "solid-js";
import { LABEL_FLAG, type LabelPayload } from "../../core/bag/payload.ts";

interface TagDrawingProps {
  /** Absent: the display is blank. */
  readonly face: LabelPayload | undefined;
  /** The whole tag in one sentence, for those who cannot see it. */
  readonly label: string;
  /** The display is changing. */
  readonly refreshing?: boolean | undefined;
  /** Not on a tag yet: drawn softer than what a tag shows. */
  readonly preview?: boolean;
  /** How much of the label is drawn, 0…1, from the left: all of it if absent. */
  readonly drawn?: number | undefined;
}

/** The display within the drawing. */
const PAPER = { x: 64, y: 24, width: 552, height: 356 };

const LEFT = 98;
const RIGHT = 506;

/** Text that is squeezed rather than cut when it is too long for its place. */
function Line(props: {
  x: number;
  y: number;
  size: number;
  width: number;
  text: string;
  end?: boolean;
  soft?: boolean;
  weight?: number;
}): JSX.Element {
  const tooLong = () => props.text.length * props.size * 0.66 > props.width;
  return (
    <text
      x={props.x}
      y={props.y}
      class={props.soft ? "tag-ink-soft" : "tag-ink"}
      font-size={String(props.size)}
      font-weight={String(props.weight ?? 700)}
      text-anchor={props.end ? "end" : "start"}
      textLength={tooLong() ? props.width : undefined}
      lengthAdjust={tooLong() ? "spacingAndGlyphs" : undefined}
    >
      {props.text}
    </text>
  );
}

/** Bars along x, `unit` per module; the caller rotates them for the second symbol. */
function Bars(props: { code: Barcode; unit: number; height: number }): JSX.Element {
  const path = () =>
    props.code.bars.map(
      ([at, width]) => `M${at * props.unit} 0h${width * props.unit}v${props.height}h-${width * props.unit}z`,
    );
  return <path class="tag-ink" shape-rendering="crispEdges" d={path().join("")} />;
}

/** Along the foot and, turned, along the side; nothing where the plate cannot be encoded. */
function Barcodes(props: { plate: string; top: number }): JSX.Element {
  return (
    <Show when={interleaved2of5(props.plate)}>
      {(code) => (
        <>
          <g transform={`translate(${LEFT} ${props.top})`}>
            <Bars code={code()} unit={408 / code().modules} height={334 - props.top} />
          </g>
          <g transform="translate(584 42) rotate(90)">
            <Bars code={code()} unit={320 / code().modules} height={52} />
          </g>
        </>
      )}
    </Show>
  );
}

function Transfers(props: { legs: NonNullable<LabelPayload["segments"]> }): JSX.Element {
  return (
    <Index each={props.legs}>
      {(leg, index) => (
        <>
          <Line x={LEFT} y={232 + index * 30} size={25} width={70} text={leg().airport} />
          <Line x={LEFT + 92} y={232 + index * 30} size={25} width={140} text={leg().flight} />
          <Line x={RIGHT} y={232 + index * 30} size={25} width={100} end text={leg().day} />
        </>
      )}
    </Index>
  );
}

function Face(props: { face: LabelPayload }): JSX.Element {
  const segments = () => props.face.segments ?? [];
  const last = () => segments().at(-1);
  /** Final destination on top, transfer points below it in reverse travel order (formats d.2). */
  const transfers = () => segments().slice(0, -1).reverse();
  const has = (flag: number) => ((props.face.flags ?? 0) & flag) !== 0;
  return (
    <>
      <Show when={has(LABEL_FLAG.EU_GREEN_EDGE)}>
        <rect class="tag-eu" x="64" y="24" width="16" height="356" />
        <rect class="tag-eu" x="600" y="24" width="16" height="356" />
      </Show>
      <Line x={LEFT} y={62} size={25} width={290} text={props.face.name ?? ""} />
      <Line
        x={RIGHT}
        y={62}
        size={20}
        width={110}
        end
        soft
        text={props.face.from ? `FROM ${props.face.from}` : ""}
      />
      <text x={LEFT - 6} y="170" class="tag-ink" font-size="124" font-weight="800" letter-spacing="-3">
        {last()?.airport}
      </text>
      <Show when={last()}>
        {(leg) => (
          <>
            <Line x={RIGHT} y={122} size={32} width={150} end text={leg().flight} />
            <Line x={RIGHT} y={166} size={32} width={150} end text={leg().day} />
          </>
        )}
      </Show>
      <Line
        x={LEFT}
        y={200}
        size={22}
        width={300}
        weight={600}
        text={props.face.destinationCity?.toUpperCase() ?? ""}
      />
      <Line
        x={RIGHT}
        y={200}
        size={20}
        width={200}
        end
        soft
        text={[
          has(LABEL_FLAG.PRIORITY) ? "PRIORITY" : "",
          props.face.travelClass ?? "",
          props.face.recordLocator ?? "",
        ]
          .filter(Boolean)
          .join(" ")}
      />
      <Transfers legs={transfers()} />
      <Barcodes plate={props.face.licencePlate} top={222 + transfers().length * 30} />
      <text x={LEFT} y="366" class="tag-ink" font-size="26" font-weight="700" letter-spacing="3">
        {props.face.licencePlate}
      </text>
      <Line x={RIGHT} y={366} size={24} width={170} end text={props.face.readable ?? ""} />
    </>
  );
}

/** The bag tag itself: what it will show, and in the simulator what its e-paper shows. */
export function TagDrawing(props: TagDrawingProps): JSX.Element {
  const width = () => PAPER.width * (props.drawn ?? 1);
  return (
    <figure
      class="tag"
      data-blank={props.face ? undefined : ""}
      data-refreshing={props.refreshing ? "" : undefined}
      data-preview={props.preview ? "" : undefined}
    >
      <svg class="tag-drawing" viewBox="0 0 640 404" role="img" aria-label={props.label} direction="ltr">
        <rect class="tag-body" x="1" y="1" width="638" height="402" rx="44" stroke-width="2" />
        <rect class="tag-slot" x="22" y="142" width="20" height="120" rx="10" stroke-width="2" />
        <rect class="tag-paper" {...PAPER} rx="6" />
        {/* A drawing within the drawing cuts what is outside it. */}
        <svg
          {...PAPER}
          width={width()}
          viewBox={`${PAPER.x} ${PAPER.y} ${width()} ${PAPER.height}`}
          aria-hidden="true"
        >
          <For each={props.face ? [props.face] : []}>{(face) => <Face face={face} />}</For>
        </svg>
      </svg>
    </figure>
  );
}

interface Barcode {
  /** Width of the whole symbol in modules, without quiet zones. */
  readonly modules: number;
  /** Bars as [start, width] in modules. */
  readonly bars: readonly (readonly [start: number, width: number])[];
}

/**
 * Interleaved 2 of 5, wide to narrow 3:1 (IATA Res. 740; formats d.1). `digits`: an even number of digits.
 * Undefined if the text cannot be encoded, so that a drawing shows no bars rather than wrong ones.
 */
export function interleaved2of5(digits: string): Barcode | undefined {
  const symbol = new ITF(digits, {});
  if (!symbol.valid()) return undefined;
  const { data } = symbol.encode();
  const bars = [...data.matchAll(/1+/g)].map((run) => [run.index, run[0].length] as const);
  return { modules: data.length, bars };
}

/** A fictitious journey: shows what a written tag looks like. */
const SAMPLE: LabelPayload = {
  kind: "write",
  destinationCity: "Helsinki",
  segments: [
    { flight: "SK1234", day: "03MAY", airport: "ARN" },
    { flight: "SK0999", day: "03MAY", airport: "HEL" },
  ],
  from: "OSL",
  name: "DOE/SAM",
  licencePlate: "0117000001",
  readable: "SK 000001",
  flags: LABEL_FLAG.EU_GREEN_EDGE,
};

/** Decoration for wide screens. */
export function HeroTag(): JSX.Element {
  return (
    <div class="hero-tag" aria-hidden="true">
      <TagDrawing face={SAMPLE} label="" />
    </div>
  );
}
