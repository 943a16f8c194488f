/** Whether the time of a refused proof reveals the cause: ten thousand timings of each cause, in workerd. */
import { run } from "../run.ts";

const TIMINGS = process.env.VITE_TIMINGS ?? "10000";

export async function benchCustody(): Promise<boolean> {
  const test = "worker/tags/custody-proof.timing.test.ts";
  const args = ["run", "--no-color", "--project", "worker", test];
  const { code } = await run("vitest", args, { echo: true, env: { VITE_TIMINGS: TIMINGS } });
  return code === 0;
}
