/**
 * `npm run sec:verify -- FILE.json` replays recorded handshakes and compares every value in them. It is for makers of tag
 * firmware: record a trace and verify it; the first value that differs shows where the fault is. Chains are checked up to
 * the anchors in the file, by their signatures alone: they need not have the profile of our certificates.
 */
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { type Bytes, fromHex } from "../../core/encoding/bytes.ts";
import { type Role, verifyTranscript } from "../../core/vectors/transcript.ts";
import { runCommand, WordsError } from "../command-line.ts";
import { verifyChainSignatures } from "./chain-signatures.ts";
import { type RecordedTranscript, readTranscripts, TranscriptFileError } from "./transcript-file.ts";

const SEC_VERIFY = {
  usage: "usage: npm run sec:verify -- FILE.json",
  words: { "FILE.json": "recorded handshakes; docs/protocol.md, Transcripts, has the format" },
  options: {},
};

/** Verifies the file at `path`; says line by line what it found. Resolves with the exit code. */
export async function verifyFile(path: string, say: (line: string) => void): Promise<0 | 1 | 2> {
  let transcripts: Map<string, RecordedTranscript>;
  try {
    transcripts = readTranscripts(readFileSync(path, "utf8"), basename(path, ".json"));
  } catch (error) {
    say(`${path}: ${complaint(error)}`);
    return 2;
  }
  let failed = 0;
  for (const [name, transcript] of transcripts) {
    const problem = await problemOf(transcript);
    say(`${name}: ${problem ?? "ok"}`);
    if (problem !== undefined) failed++;
  }
  const verified = `${transcripts.size - failed} transcripts verified`;
  say(failed === 0 ? verified : `${verified}, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function complaint(error: unknown): string {
  if (error instanceof TranscriptFileError) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file";
  if (code !== undefined) return `the file cannot be read (${code})`;
  throw error;
}

/** The first thing wrong with a transcript, undefined where everything agrees. */
async function problemOf(transcript: RecordedTranscript): Promise<string | undefined> {
  const anchors = {
    initiator: [transcript.trust_anchor_der],
    responder: [transcript.tag_ca_der, transcript.trust_anchor_der].filter((der) => der !== undefined),
  };
  const verifyChain = (side: Role, chain: readonly Bytes[]) =>
    verifyChainSignatures(chain, anchors[side].map(fromHex));
  for (const side of ["initiator", "responder"] as const) {
    const problem = await chainProblem(() => verifyChain(side, transcript[`${side}_chain_der`].map(fromHex)));
    if (problem !== undefined) return `${side}_chain_der: ${problem}`;
  }
  const report = await verifyTranscript(transcript, verifyChain);
  if (report.ok) return sizeProblem(transcript);
  const { value, reason, recorded, computed, replayedAs } = report;
  const as = replayedAs === undefined ? "" : ` (replayed as ${replayedAs})`;
  if (recorded === undefined || computed === undefined) return `${value}: ${reason}${as}`;
  return `${value} differs${as}\n  expected ${recorded.toLowerCase()}\n  computed ${computed}`;
}

async function chainProblem(check: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "not sound";
  }
}

function sizeProblem({ sizes = {}, values }: RecordedTranscript): string | undefined {
  for (const [name, expected] of Object.entries(sizes)) {
    const computed = values[name] === undefined ? undefined : values[name].length / 2;
    if (computed !== expected)
      return `sizes.${name} differs\n  expected ${expected}\n  computed ${computed ?? "none"}`;
  }
  return undefined;
}

if (import.meta.main)
  await runCommand(SEC_VERIFY, async ({ words: [path, ...surplus] }) => {
    if (path === undefined || surplus.length > 0) throw new WordsError();
    // npm runs scripts in the project's folder; the path is relative to the user's.
    const from = process.env.INIT_CWD ?? process.cwd();
    process.exitCode = await verifyFile(resolve(from, path), (line) => console.log(line));
  });
