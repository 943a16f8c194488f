import type { JobEvent, JobState } from "./tag-job.ts";

/** Asks for nothing, ends nothing, and is not the commit, from which on the page has to stay open. */
const isNews = (event: JobEvent) =>
  event.type === "chosen" ||
  event.type === "picked" ||
  (event.type === "progressed" && !(event.by.type === "started" && event.by.phase === "display"));

/**
 * Draws a run's events in order, news in a later task: first the radio gets what the SDK does next, and the page draws while
 * the tag works. On a slow phone a drawing takes as long as three packets.
 */
export function drawLater(draw: (events: readonly JobEvent[]) => JobState) {
  const waiting: JobEvent[] = [];
  const send = (event: JobEvent) => draw([...waiting.splice(0), event]);
  const report = (event: JobEvent) => {
    if (!isNews(event)) send(event);
    else if (waiting.push(event) === 1) setTimeout(() => draw(waiting.splice(0)));
  };
  return { send, report };
}
