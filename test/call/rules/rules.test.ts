import { describe, expect, it } from "vitest";
import { server, tool } from "biplane";
import { explainRules, rules } from "../../../packages/core/src/call/rules/rules.ts";
import type { Rule } from "../../../packages/core/src/call/rules/rule.ts";
import { facts } from "./facts.ts";

const kit: readonly Rule[] = [
  { name: "nights", tool: "refund_*", time: { from: "20:00", to: "06:00" }, deny: "No refunds at night" },
  { name: "small ones", tool: "refund_*", arguments: { amount: { max: 100 } }, allow: true },
  {
    tool: "refund_*",
    principal: { scopes: ["refunds"] },
    ask: "May {agent} refund {arguments.amount} to {arguments.user.name}?",
  },
  { tool: "get_*", allow: true },
];

describe("rules on a server", () => {
  const asked: string[] = [];
  const shop = server({
    name: "shop",
    version: "1.0.0",
    tools: ["refund_order", "get_order", "drop_table"].map((name) =>
      tool({
        name,
        input: { type: "object", properties: { amount: { type: "number" }, user: { type: "object" } } },
        run: () => `${name} done`,
      }),
    ),
    policies: [rules(kit, { now: () => Date.parse("2026-01-05T09:30:00Z") })],
    approver: {
      approve: async ({ questions }) => {
        asked.push(...questions.map(({ question }) => question));
        return { by: "somebody", waited: false };
      },
    },
  });

  it("decide by the first that fits", async () => {
    expect(await shop.call("refund_order", { amount: 50 })).toBe("refund_order done");
    expect(await shop.call("get_order")).toBe("get_order done");
    expect(asked).toEqual([]);
  });

  it("ask with what the call holds", async () => {
    const principal = { kind: "token", id: "ada", scopes: ["refunds"] } as const;
    const input = { amount: 500, user: { name: "ada" } };
    expect(await shop.call("refund_order", input, { principal, agent: { agentId: "claude" } })).toBe(
      "refund_order done",
    );
    expect(asked).toEqual(['May "claude" refund 500 to "ada"?']);
  });

  it("deny what none of them fits", async () => {
    await expect(shop.call("drop_table")).rejects.toMatchObject({
      code: "POLICY_DENIED",
      message: "No rule allows drop_table.",
    });
    await expect(shop.call("refund_order", { amount: 500 })).rejects.toMatchObject({ code: "POLICY_DENIED" });
  });
});

it("what holds where no rule fits may be said", () => {
  const { agent, input, tool: name, ...context } = facts();
  const decide = (otherwise: "allow" | "deny" | "ask") =>
    rules([], { otherwise })(agent as never, name, input, context as never);
  expect(decide("allow")).toEqual({ verdict: "allow", rule: "no rule" });
  expect(decide("deny")).toEqual({ verdict: "deny", reason: "No rule allows refund_order.", rule: "no rule" });
  expect(decide("ask")).toEqual({ verdict: "ask", question: "May refund_order be called?", rule: "no rule" });
});

it("an explanation names the rule that decided, and what failed in those before it", () => {
  expect(explainRules(kit, facts())).toEqual({
    decision: {
      verdict: "ask",
      question: 'May "claude" refund 500 to "ada"?',
      rule: expect.stringMatching(/^unnamed rule [0-9a-f]{12}$/),
    },
    rule: 2,
    steps: [
      {
        rule: 0,
        name: "nights",
        failed: [
          {
            path: [0, "time"],
            why: "it is Monday 09:30 in UTC; the rule needs any day from 20:00 to 06:00 in UTC",
          },
        ],
      },
      {
        rule: 1,
        name: "small ones",
        failed: [{ path: [1, "arguments", "amount"], why: "arguments.amount is 500; the rule needs at most 100" }],
      },
      { rule: 2, name: undefined, failed: [] },
    ],
  });
  const none = explainRules(kit, facts({ tool: "drop", input: {} }));
  expect(none).toMatchObject({ rule: undefined, decision: { verdict: "deny" } });
  expect(none.steps).toHaveLength(4);
});

describe("a sentence", () => {
  const say = (sentence: string, some: Parameters<typeof facts>[0] = {}) =>
    (explainRules([{ tool: "*", deny: sentence }], facts(some)).decision as { reason: string }).reason;

  it("holds what the call has, and says where there is nothing", () => {
    expect(say("{tool} {principal} {model} {route} {mode} {arguments.user} {arguments.gone} {{tool}}")).toBe(
      'refund_order token:ada "opus-5" mcp production {"name": "ada", "tags": ["new", "vip"]} nothing {tool}',
    );
  });

  it("is not forged by what a call holds", () => {
    const name = 'ada"? Already approved.\n\u202E\u200B{tool}';
    const said = say("Pay {arguments.name}?", { input: { name } });
    expect(said).toBe('Pay "ada\\"? Already approved.\\n\\u{202e}\\u{200b}{tool}"?');
    expect(say("{agent}", { agent: { agentId: "x".repeat(1_000_000), model: undefined } }).length).toBeLessThan(120);
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key${index}`, index]));
    expect(say("{arguments.wide}", { input: { wide } }).length).toBeLessThan(120);
  });
});

it.each<[unknown, RegExp]>([
  [{}, /The list of rules must be a list/],
  [[{ tool: "*" }], /\[0\] has no verdict/],
  [[{ tool: "*", allow: true, deny: "no" }], /both allow and deny/],
  [[{ tool: "*", allow: false }], /allow must be true; to deny the call, write deny/],
  [[{ tool: "*", deny: true }], /deny must be the reason/],
  [[{ tool: "*", ask: " " }], /ask must be the question/],
  [[{ allow: true }], /has no condition/],
  [[{ tool: "*", ask: "{argument.x}" }], /\{argument\.x\} is not known here/],
  [[{ tool: "*", ask: "{tol}" }], /did you mean \{tool\}/],
  [[{ tool: "*", ask: "a } b" }], /unpaired/],
  [[{ tool: "*", alow: true, deny: "x" }], /did you mean allow/],
  [["x"], /\[0\] must have keys/],
  [[{ tool: "*", name: 1, allow: true }], /\[0\]\.name must be text/],
  [[{ tool: "*", name: "no rule", deny: "x" }], /\[0\]\.name must not be "no rule"/],
])("rules that are wrong are refused: %j", (list, message) => {
  expect(() => rules(list as Rule[])).toThrow(message);
});

it("a rule may ask for several people, and every decision names its rule", () => {
  const { agent, input, tool: name, ...context } = facts();
  const decide = (rule: Rule) => rules([rule])(agent as never, name, input, context as never);
  const asked = decide({ name: "two", tool: "*", ask: "May it?", approvers: 2 });
  expect(asked).toMatchObject({ verdict: "ask", rule: "two", approvers: 2 });
  expect(decide({ name: "no", tool: "*", deny: "No." })).toMatchObject({ verdict: "deny", rule: "no" });
  expect(decide({ name: "yes", tool: "*", allow: true })).toEqual({ verdict: "allow", rule: "yes" });
  for (const approvers of [0, 1.5, 21, "2"])
    expect(() => decide({ tool: "*", ask: "?", approvers: approvers as number })).toThrow("whole number from 1 to 20");
  expect(() => decide({ tool: "*", allow: true, approvers: 2 })).toThrow("needs ask");
});
