import type { JSX } from "preact";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";

export type PolicyVerdict = "allow" | "deny" | "ask";

/** A verdict of a rule. Null if code decides. */
export function VerdictBadge({ verdict }: { readonly verdict: PolicyVerdict | null }): JSX.Element {
  return verdict === null ? (
    <Badge title="A function in code decides each call">varies</Badge>
  ) : (
    <Badge tone={tones[verdict]} dot>
      {verdict}
    </Badge>
  );
}

const tones: { readonly [Verdict in PolicyVerdict]: Tone } = { allow: "good", deny: "warn", ask: "info" };
