import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CallError } from "biplane";
import { isReply } from "../../packages/core/src/tool/content.ts";
import { collectFaults } from "../support/faults.ts";
import type { Faults } from "../support/faults.ts";
import { limit, runs } from "../support/runs.ts";
import { expectationOf } from "./model.ts";
import { freshAgent, freshPrincipal, play } from "./play.ts";
import type { Story } from "./play.ts";
import { outputSchema, scenarios, values } from "./scenario.ts";
import type { Scenario } from "./scenario.ts";

/** A law looks at a scenario and what came of it, and says what it sees and what it wants to see. */
type Law = (scenario: Scenario, story: Story) => { sees: unknown; wants: unknown };

const laws: Record<string, Law> = {
  "the call ends as its story predicts, with a code from the closed list": (scenario, { end }) => {
    const { ends } = expectationOf(scenario);
    return { sees: end, wants: ends.find((predicted) => predicted === end) ?? ends };
  },

  "onStart fires once, and then exactly one of onEnd and onError, with the code of the outcome": (_, story) => {
    const isDone = story.end === "done";
    const wanted = ["start", isDone ? "end" : `error ${story.end}`];
    const name = ({ event, record }: Story["watchers"][number][number]) =>
      event === "error" ? `error ${(record as CallError).error.code}` : event;
    return { sees: story.watchers.map((seen) => seen.map(name)), wants: story.watchers.map(() => wanted) };
  },

  "policies are asked in order up to the first denial, and nobody after it": (scenario, story) => {
    const { asked, approves } = expectationOf(scenario);
    const early = scenario.cancel === "before" || scenario.cancel === "in a policy";
    const inOrder = Array.from({ length: asked }, (_, index) => index);
    const wanted = early ? inOrder.slice(0, story.asked.length) : inOrder;
    const approvals = early ? story.approvals : Number(approves);
    return {
      sees: { asked: story.asked, approvals: story.approvals },
      wants: { asked: wanted, approvals },
    };
  },

  "run starts once where all allow and the asked approve, and otherwise never": (scenario, story) => ({
    sees: story.runs,
    wants: Number(expectationOf(scenario).runs),
  }),

  "policies and run see the caller's own input, whatever hooks do to their copies": (scenario, story) => {
    const sees = [story.request, ...story.seenByPolicies, ...story.seenByRun];
    const own = { input: scenario.input.value, agent: freshAgent(), principal: freshPrincipal() };
    return { sees, wants: sees.map(() => own) };
  },

  "hooks get copies that are frozen all the way down": (_, story) => ({
    sees: story.watchers.flat().flatMap(({ record }) => thawed(record)),
    wants: [],
  }),

  "hooks cannot change the result": (scenario, story) => {
    const { run, hasOutput } = scenario;
    if (story.end !== "done" || run.does !== "return") return nothing;
    const made = values[run.value].make(run.json);
    const plain = isReply(made) ? (made.structured ?? made.content) : made;
    if (typeof plain === "function" || typeof plain === "symbol") return nothing;
    return { sees: story.value, wants: hasOutput ? outputSchema.parse(plain) : plain };
  },

  "a result that counts can be sent": (_, { outcome }) => {
    if (outcome?.status !== "done") return nothing;
    const texts = outcome.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const structured = isReply(outcome.value) ? outcome.value.structured : outcome.value;
    const written = structured === undefined ? [] : [JSON.stringify(structured)];
    const kinds = [...texts, ...written].map((text) => typeof text);
    return { sees: kinds, wants: kinds.map(() => "string") };
  },
};

const nothing = { sees: undefined, wants: undefined };

describe("whatever a tool, its policies, its hooks and its caller do", () => {
  let faults: Faults;
  beforeAll(() => {
    faults = collectFaults();
  });
  afterAll(async () => {
    await faults[Symbol.asyncDispose]();
  });

  it("every law holds", { timeout: limit(20_000) }, async () => {
    const property = fc.asyncProperty(scenarios, async (scenario) => {
      const story = await play(scenario);
      for (const [name, law] of Object.entries(laws)) {
        const { sees, wants } = law(scenario, story);
        expect({ law: name, sees }).toEqual({ law: name, sees: wants });
      }
    });
    await fc.assert(property, runs(600));
    expect(await faults.settled()).toEqual([]);
  });
});

/** The paths of all objects in a record that are not frozen. A date is a value of its own. */
function thawed(value: unknown, path = "record"): string[] {
  if (typeof value !== "object" || value === null || value instanceof Date) return [];
  const own = Object.isFrozen(value) ? [] : [path];
  return [...own, ...Object.entries(value).flatMap(([key, inner]) => thawed(inner, `${path}.${key}`))];
}
