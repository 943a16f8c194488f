import type { JSX } from "solid-js";
import { TagDrawing, type TagFace } from "../ui/TagDrawing.tsx";

/** A fictitious journey: shows what a written tag looks like. */
const SAMPLE: TagFace = {
  destination: "HEL",
  city: "Helsinki",
  legs: [
    { flight: "SK1234", date: "03MAY", airport: "ARN" },
    { flight: "SK0999", date: "03MAY", airport: "HEL" },
  ],
  from: "OSL",
  name: "DOE/SAM",
  plate: "0117000001",
  readable: "SK 000001",
  greenEdge: true,
  priority: false,
};

/** Decoration for wide screens. */
export function HeroTag(): JSX.Element {
  return (
    <div class="hero-tag" aria-hidden="true">
      <TagDrawing face={SAMPLE} label="" />
    </div>
  );
}
