import { runChecks } from "./checks.ts";

const { failed } = await runChecks();
if (failed > 0) process.exitCode = 1;
