import { runChecks } from "./checks.ts";
import { printSize } from "./size.ts";

const words = process.argv.slice(2).join(" ");
if (words === "size" || words === "size --files") {
  printSize();
  const { printFilesEntered } = await import("./files-entered.ts");
  await printFilesEntered({ lists: words === "size --files" });
} else if (words === "") {
  const { failed } = await runChecks();
  if (failed.length > 0) process.exitCode = 1;
} else {
  console.error("npm run check -- [size [--files]]");
  process.exitCode = 2;
}
