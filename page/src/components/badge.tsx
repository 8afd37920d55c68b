import type { ComponentChildren, JSX } from "preact";
import { outcomeKind } from "../../../packages/biplane/src/admin/calls/outcome-kind.ts";
import type { AuditOutcome } from "../../../packages/core/src/call/audit.ts";

/** Semantic colour. `plain` is neutral. */
export type Tone = "plain" | "good" | "bad" | "warn" | "info" | "accent";

export function Badge(props: {
  readonly tone?: Tone | undefined;
  readonly title?: string | undefined;
  /** Shows a dot before the text, for statuses. */
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

/** The outcome of a call as a coloured label. */
export function Outcome({ value }: { readonly value: AuditOutcome }): JSX.Element {
  return (
    <Badge tone={outcomeTone(value)} dot title={value}>
      {outcomeLabel(value)}
    </Badge>
  );
}

export function outcomeTone(outcome: AuditOutcome): Tone {
  if (outcome === "suspended") return "info";
  return expected.has(outcome) ? "warn" : tones[outcomeKind(outcome)];
}

/** `POLICY_DENIED` becomes `policy denied`. Whether an approval is still pending, a recorded call does not know. */
export function outcomeLabel(outcome: string): string {
  return outcome === "APPROVAL_PENDING" ? "asked" : outcome.toLowerCase().replaceAll("_", " ");
}

const tones = { done: "good", asked: "info", denied: "warn", invalid: "bad", error: "bad" } as const;

/** What is nobody's mistake. */
const expected: ReadonlySet<string> = new Set(["CANCELLED", "EPISODE_ENDED"]);
