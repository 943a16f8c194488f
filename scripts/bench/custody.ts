/** Whether the time of a refused proof reveals the cause: ten thousand timings of each cause, in workerd. */
import { run } from "../run.ts";
import type { Bench } from "./harness.ts";

const TIMINGS = process.env.VITE_TIMINGS ?? "10000";
const TEST = "worker/tags/custody-proof.timing.test.ts";

export const custody: Bench = {
  isTimed: false,
  async run() {
    const args = ["run", "--no-color", "--project", "worker", TEST];
    const { code } = await run("vitest", args, { echo: true, env: { VITE_TIMINGS: TIMINGS } });
    return [
      {
        what: "causes told apart by their time",
        goal: "0",
        figure: code === 0 ? "0" : "some",
        met: code === 0,
      },
    ];
  },
};
