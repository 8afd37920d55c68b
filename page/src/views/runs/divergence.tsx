import type { JSX } from "preact";
import type { TraceComparison } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { JsonDiff } from "../../components/diff.tsx";
import { Text } from "../../components/text.tsx";
import { bracketed } from "../episodes/ansi.ts";
import { parsedValue } from "../episodes/value-view.tsx";

type Divergence = NonNullable<TraceComparison["divergence"]>;

/** The first difference: its step, its kind and a diff. */
export function DivergenceView(props: {
  readonly divergence: Divergence;
  readonly names: readonly [string, string];
}): JSX.Element {
  const { divergence, names } = props;
  const { step, what } = divergence;
  return (
    <div class="stack-tight">
      <p>
        {step < 0 ? "Before the first step" : `At step ${step + 1}`}: <DivergenceText what={what} />.{" "}
        <span class="text-bad">− {names[0]}</span> <span class="text-good">+ {names[1]}</span>
      </p>
      <DivergenceDiff divergence={divergence} />
    </div>
  );
}

export function DivergenceDiff({ divergence: { left, right } }: { readonly divergence: Divergence }): JSX.Element {
  return <JsonDiff before={diffable(left)} after={diffable(right)} label="First difference" />;
}

export function DivergenceText({ what }: { readonly what: string }): JSX.Element {
  const label = labels[what];
  if (label !== undefined) return <>{label}</>;
  return (
    <>
      <Text value={what} maxLength={60} isFixed /> is different
    </>
  );
}

/** Splits multi-line text into lists, so that a diff shows the changed line. */
export function diffable(value: unknown, depth = 0): unknown {
  const plain = depth === 0 ? parsedValue(value) : value;
  if (typeof plain === "string") {
    const text = bracketed(plain);
    return text.includes("\n") ? text.split("\n") : text;
  }
  if (typeof plain !== "object" || plain === null || depth > 20) return plain;
  if (Array.isArray(plain)) {
    // A row of scalars is one line.
    const isRow = plain.every((each) => typeof each !== "object" && typeof each !== "string");
    return isRow && depth > 0 ? plain.join(" ") : plain.map((each) => diffable(each, depth + 1));
  }
  return Object.fromEntries(Object.entries(plain).map(([key, inner]) => [key, diffable(inner, depth + 1)]));
}

const labels: Readonly<Record<string, string>> = {
  prompt: "the prompts are different",
  observation: "the observations are different",
  tool_call: "the agents made different calls",
  message: "the agents sent different messages",
  reward: "the rewards are different",
  terminated: "only one episode terminated",
  truncated: "only one episode was truncated",
  ending: "the endings are different",
};
