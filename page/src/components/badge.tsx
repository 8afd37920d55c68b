import type { ComponentChildren, JSX } from "preact";
import type { AuditOutcome } from "../../../src/call/audit.ts";

/** What a colour says. `plain` says nothing. */
export type Tone = "plain" | "good" | "bad" | "warn" | "info" | "accent";

export function Badge(props: {
  readonly tone?: Tone | undefined;
  readonly title?: string | undefined;
  /** A point before the text, for states. */
  readonly dot?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { tone = "plain", title, dot, children } = props;
  return (
    <span class={`badge badge-${tone}`} title={title}>
      {dot && <span class="dot" aria-hidden="true" />}
      {children}
    </span>
  );
}

/** What a call came to, in a word and a colour. */
export function Outcome({ value }: { readonly value: AuditOutcome }): JSX.Element {
  return (
    <Badge tone={outcomeTone(value)} dot title={value}>
      {outcomeWord(value)}
    </Badge>
  );
}

export function outcomeTone(outcome: AuditOutcome): Tone {
  if (outcome === "done") return "good";
  if (outcome === "suspended" || outcome === "APPROVAL_PENDING") return "info";
  return refusals.has(outcome) ? "warn" : "bad";
}

/** `POLICY_DENIED` is `policy denied`. */
export function outcomeWord(outcome: string): string {
  return outcome.toLowerCase().replaceAll("_", " ");
}

/** No faults: somebody or something said no. */
const refusals: ReadonlySet<string> = new Set([
  "POLICY_DENIED",
  "APPROVAL_REJECTED",
  "RATE_LIMITED",
  "UNAUTHORIZED",
  "CANCELLED",
  "CAPACITY",
  "EPISODE_ENDED",
]);
