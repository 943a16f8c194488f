import { readFileSync } from "node:fs";
import * as v from "valibot";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { PkiError } from "../../core/pki/certificate.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { fromPem } from "../../core/pki/pem.ts";
import { EKU_TAG } from "../../core/pki/profiles.ts";
import {
  certificateOf,
  faultOfWord,
  REPORT_FORMAT,
  type Report,
  type ReportWord,
  reportText,
  type WordFault,
} from "../../core/sec/report.ts";
import { UsageError } from "../../kit/command-line.ts";
import { type Commands, command, FILE } from "./command.ts";
import { readJson } from "./files.ts";

export const reportCommands = {
  /** `report verify`: whether a tag vouches for a conformance report (protocol.md, Signed reports). */
  "report verify": command({
    summary: "check that a conformance report was signed by the tag it is about; fails where it was not",
    database: "none",
    options: {
      file: { ...FILE, required: true, help: "the report, as the page saved it" },
      "tag-root": {
        ...FILE,
        help: "PEM of the tag CAs; without one no tag is known, and nothing is verified",
      },
    },
    async run({ file, "tag-root": root }, { print }) {
      const report = readReport(file);
      const { tag, word } = report;
      print(`${tag.id || "a tag without id"}, ${String(report.date)}: ${countsIn(report)}`);
      if (word === undefined) throw refusal(tag.signs === false ? CANNOT : MISSING);
      if (root === undefined)
        throw refusal("whose tag signed it is not known: --tag-root names the CAs of tags");
      const signer = await signerOf(word, fromPem(readFileSync(root, "utf8")));
      if (signer.deviceId !== tag.id) throw refusal(`it was signed by ${signer.deviceId}, another tag`);
      const fault = await faultOfWord(report, word, signer);
      if (fault !== undefined) throw refusal(FAULTS[fault]);
      print(`verified: ${tag.id} signed this report`);
    },
  }),
} satisfies Commands;

const CANNOT = "the tag cannot sign: this report is unsigned";
const MISSING = "the tag can sign, and its word is missing";

const FAULTS: Readonly<Record<WordFault, string>> = {
  malformed: "the tag's statement cannot be read",
  other_certificate: "the tag's statement is under another certificate",
  bad_signature: "the signature is not the tag's",
  other_report: "the tag signed another report than this one",
  other_tag: "the statement is of another tag",
};

const refusal = (why: string) => new UsageError(`not verified: ${why}`);

const ConformanceReport = v.looseObject({
  format: v.literal(REPORT_FORMAT),
  tag: v.looseObject({ id: v.string(), signs: v.boolean() }),
  word: v.optional(v.looseObject({ certificate: v.string(), statement: v.string() })),
});

/** Only the text that the page writes: in any other a name could come twice, and mean one thing here and another there. */
function readReport(path: string): Report & v.InferOutput<typeof ConformanceReport> {
  const report = readJson(path) as Report;
  if (!v.is(ConformanceReport, report)) throw new UsageError(`not a conformance report (${REPORT_FORMAT})`);
  if (reportText(report) !== readFileSync(path, "utf8"))
    throw refusal("the file is not as the page saved it");
  return report;
}

/** Counted from the rows: they are what a person reads. */
function countsIn({ checks, group }: Report): string {
  const rows: readonly Report[] = Array.isArray(checks) ? checks : [];
  const count = (wanted: string) => rows.filter((row) => row.applies && row.outcome === wanted).length;
  const results = `${count("pass")} passed, ${count("fail")} failed, ${count("skip")} could not run`;
  return group === "all" ? results : `${results}; only the group ${String(group)}`;
}

async function signerOf(word: ReportWord, anchors: readonly Bytes[]) {
  try {
    const leaf = await verifyChain({ chain: [certificateOf(word)], anchors, eku: EKU_TAG, at: new Date() });
    return { publicKey: leaf.publicKey, deviceId: leaf.subjectSerialNumber ?? "" };
  } catch (error) {
    if (error instanceof PkiError) throw refusal(`the certificate is not one of these CAs' (${error.code})`);
    throw refusal(FAULTS.malformed);
  }
}
