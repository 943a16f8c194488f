import { runCommand, WordsError } from "../../kit/command-line.ts";
import { runChecks } from "./checks.ts";
import { checkLanguage } from "./language.ts";
import { printSize } from "./size.ts";

const CHECK = {
  usage: "npm run check -- [size | language]",
  words: {
    size: "print how much code there is, and how many files a request enters",
    language: "print the words that names, comments and documents avoid",
  },
  options: { files: { help: "with size: name the files that a request enters" } },
} as const;

await runCommand(CHECK, async ({ words, values: { files } }) => {
  const [word = "check", ...more] = words;
  if (more.length > 0 || (files && word !== "size")) throw new WordsError();
  if (word === "size") {
    printSize();
    const { printFilesEntered } = await import("./files-entered.ts");
    await printFilesEntered({ lists: files });
  } else if (word === "language") {
    if (!checkLanguage()) process.exitCode = 1;
  } else if (word === "check") {
    const { failed } = await runChecks();
    if (failed.length > 0) process.exitCode = 1;
  } else throw new WordsError();
});
