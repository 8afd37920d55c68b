import type { JSX } from "preact";
import type { Comparison } from "../../../../src/desk/contract.ts";
import { JsonDiff } from "../../components/diff.tsx";
import { Text } from "../../components/text.tsx";
import { plainValue } from "../episodes/seen.tsx";

type Divergence = NonNullable<Comparison["divergence"]>;

/** The first difference: where, what, and how. */
export function DivergenceView(props: {
  readonly divergence: Divergence;
  readonly names: readonly [string, string];
}): JSX.Element {
  const { divergence, names } = props;
  const { step, what } = divergence;
  return (
    <div class="stack-tight">
      <p>
        {step < 0 ? "Before the first step" : `At step ${step + 1}`}, <DivergenceWord what={what} />.{" "}
        <span class="text-bad">− {names[0]}</span> <span class="text-good">+ {names[1]}</span>
      </p>
      <DivergenceDiff divergence={divergence} />
    </div>
  );
}

export function DivergenceDiff({ divergence: { left, right } }: { readonly divergence: Divergence }): JSX.Element {
  return <JsonDiff before={diffable(left)} after={diffable(right)} label="The first difference" />;
}

export function DivergenceWord({ what }: { readonly what: string }): JSX.Element {
  const said = words[what];
  if (said !== undefined) return <>{said}</>;
  return (
    <>
      <Text value={what} most={60} isFixed /> differs
    </>
  );
}

/** Text of several lines as a list of them, so that a diff says which line. */
export function diffable(value: unknown, depth = 0): unknown {
  const plain = depth === 0 ? plainValue(value) : value;
  if (typeof plain === "string") return plain.includes("\n") ? plain.split("\n") : plain;
  if (typeof plain !== "object" || plain === null || depth > 20) return plain;
  if (Array.isArray(plain)) {
    // A row of single values is one line.
    const isRow = plain.every((each) => typeof each !== "object" && typeof each !== "string");
    return isRow && depth > 0 ? plain.join(" ") : plain.map((each) => diffable(each, depth + 1));
  }
  return Object.fromEntries(Object.entries(plain).map(([key, inner]) => [key, diffable(inner, depth + 1)]));
}

const words: Readonly<Record<string, string>> = {
  prompt: "the prompt differs",
  observation: "what is seen differs",
  tool_call: "the agent does something else",
  message: "the agent says something else",
  reward: "the reward differs",
  terminated: "one is over and the other goes on",
  truncated: "one is cut off and the other goes on",
  ending: "one goes on, or they end differently",
};
