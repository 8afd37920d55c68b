import type { GrantSummary } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { inputPairs } from "../../components/input-values.ts";
import { patternParts } from "./describe-pattern.ts";
import { scriptIn } from "./script-subject.ts";
import { shortHash } from "./short-hash.tsx";

/** What a standing approval covers: the tool or script, of which kind the approval is, and which calls. */
export function grantParts({ tool, hash = "", pattern, preview, subject }: GrantSummary): {
  readonly tool: string;
  readonly kind: string;
  readonly detail: string;
} {
  if (pattern !== undefined) {
    const { tools, conditions } = patternParts(pattern);
    return { tool: tools, kind: "pattern", detail: conditions === "" ? "any input" : `where ${conditions}` };
  }
  const script = scriptIn(subject);
  if (script) return { tool: script.file, kind: "script", detail: `the approved version, run by ${tool}` };
  if (subject !== undefined) return { tool, kind: "exact subject", detail: `fingerprint ${shortHash(hash)}…` };
  const detail = preview === undefined ? `fingerprint ${shortHash(hash)}…` : inputPairs(preview);
  return { tool, kind: "exact input", detail: detail === "" ? "no input" : detail };
}
