import { findArgument, readSteps } from "./argument.ts";
import { unknownName } from "../../tool/near-miss.ts";
import type { CallFacts } from "./pattern.ts";
import type { DocumentCursor } from "./problem.ts";
import { showName, showValue } from "./show-value.ts";

/** A reason or question with placeholders such as `{tool}` or `{arguments.amount}`. */
export function readSentence(written: string, cursor: DocumentCursor): (facts: CallFacts) => string {
  const parts = [...written.matchAll(part)].map(([whole, name]) => {
    if (whole === "{{" || whole === "}}") return whole.slice(1);
    if (whole === "{" || whole === "}") {
      cursor.fail(`has an unpaired ${whole}; write ${whole}${whole} for a literal brace`);
      return whole;
    }
    return name === undefined ? whole : readPlaceholder(name, cursor);
  });
  if (parts.every((each) => typeof each === "string")) {
    const text = parts.join("");
    return () => text;
  }
  return (facts) => parts.map((each) => (typeof each === "string" ? each : each(facts))).join("");
}

const part = /\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+/g;

function readPlaceholder(name: string, cursor: DocumentCursor): string | ((facts: CallFacts) => string) {
  if (Object.hasOwn(placeholders, name)) return placeholders[name] as (facts: CallFacts) => string;
  const steps = name.startsWith("arguments.") ? readSteps(name.slice("arguments.".length)) : undefined;
  if (!steps) {
    const known = [...Object.keys(placeholders), "arguments.<name>"].map((each) => `{${each}}`);
    cursor.fail(`: {${name.slice(0, 40)}} ${unknownName(`{${name}}`, known, "known here")}`);
    return "";
  }
  const find = findArgument(steps);
  // Redact before shortening: a truncated secret would not be recognized.
  return ({ input, redactor }) => showValue(redactor ? redactor.value(find(input)) : find(input));
}

const placeholders: Readonly<Record<string, (facts: CallFacts) => string>> = {
  tool: ({ tool }) => showName(tool),
  agent: ({ agent }) => showValue(agent.agentId),
  model: ({ agent }) => (agent.model === undefined ? "an unknown model" : showValue(agent.model)),
  principal: ({ principal }) => showName(`${principal.kind}:${principal.id}`),
  route: ({ route }) => route,
  mode: ({ mode }) => mode,
};
