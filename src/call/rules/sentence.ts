import { findArgument, readSteps } from "./argument.ts";
import { unknownName } from "./near-miss.ts";
import type { CallFacts } from "./pattern.ts";
import type { Place } from "./problem.ts";
import { showName, showValue } from "./show-value.ts";

/** A reason or a question, in which `{tool}` or `{arguments.amount}` stand for what a call has there. */
export function readSentence(written: string, place: Place): (facts: CallFacts) => string {
  const parts = [...written.matchAll(part)].map(([whole, name]) => {
    if (whole === "{{" || whole === "}}") return whole.slice(1);
    if (whole === "{" || whole === "}") {
      place.fail(`has a ${whole} that stands alone; write ${whole}${whole} for the brace itself`);
      return whole;
    }
    return name === undefined ? whole : readBlank(name, place);
  });
  if (parts.every((each) => typeof each === "string")) {
    const text = parts.join("");
    return () => text;
  }
  return (facts) => parts.map((each) => (typeof each === "string" ? each : each(facts))).join("");
}

const part = /\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+/g;

function readBlank(name: string, place: Place): string | ((facts: CallFacts) => string) {
  if (Object.hasOwn(blanks, name)) return blanks[name] as (facts: CallFacts) => string;
  const steps = name.startsWith("arguments.") ? readSteps(name.slice("arguments.".length)) : undefined;
  if (!steps) {
    const known = [...Object.keys(blanks), "arguments.<name>"].map((each) => `{${each}}`);
    place.fail(`: {${name.slice(0, 40)}} ${unknownName(`{${name}}`, known, "known here")}`);
    return "";
  }
  const find = findArgument(steps);
  // Before it is shortened: a part of a secret would not be found.
  return ({ input, redactor }) => showValue(redactor ? redactor.value(find(input)) : find(input));
}

const blanks: Readonly<Record<string, (facts: CallFacts) => string>> = {
  tool: ({ tool }) => showName(tool),
  agent: ({ agent }) => showValue(agent.agentId),
  model: ({ agent }) => (agent.model === undefined ? "an unknown model" : showValue(agent.model)),
  principal: ({ principal }) => showName(`${principal.kind}:${principal.id}`),
  route: ({ route }) => route,
  mode: ({ mode }) => mode,
};
