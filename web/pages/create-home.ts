import type { Accessor } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { useAppState } from "../state/app-state.tsx";
import { isOver } from "../state/bags.ts";

/** The way to the first screen, by what is there: the kept journey, or the form that finds one. */
export function createHome(): Accessor<{ readonly href: string; readonly label: string }> {
  const { t } = useI18n();
  const { keeping } = useAppState();
  const isJourney = () => {
    const kept = keeping.kept()?.journey;
    return kept !== undefined && !isOver(kept, Date.now());
  };
  return () => ({ href: "/", label: t(isJourney() ? "job.toJourney" : "job.toStart") });
}
