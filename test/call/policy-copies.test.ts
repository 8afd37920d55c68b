import { expect, test } from "vitest";
import { allow, server, tool } from "biplane";
import type { Policy } from "biplane";
import type { AuditEntry } from "../../packages/core/src/call/audit.ts";
import { z } from "zod";

const amounts = z.object({ amounts: z.array(z.number()), to: z.object({ name: z.string() }) });

/** Calls a tool under policies. Returns what ran and what was recorded. */
async function refundUnder(...policies: Policy[]) {
  const ran: unknown[] = [];
  const entries: AuditEntry[] = [];
  const refund = tool({
    name: "refund",
    input: amounts,
    run: (input) => {
      ran.push(structuredClone(input));
      input.amounts.push(1e6);
      return "refunded";
    },
  });
  const gateway = server({
    name: "shop",
    tools: [refund],
    policies,
    secrets: { TILL_KEY: "open-sesame-1234" },
    onFault: () => undefined,
    audit: { record: (entry) => void entries.push(entry) },
  });
  await gateway.call(
    "refund",
    { amounts: [5], to: { name: "ada" } },
    {
      agent: { agentId: "clerk", model: undefined, requestId: "1", metadata: { team: "support" } },
      principal: { kind: "token", id: "clerk", scopes: ["refund"] },
    },
  );
  return { ran, entries };
}

test.each<[string, (...facts: Parameters<Policy>) => void]>([
  ["the arguments", (_agent, _tool, input) => void (input as { amounts: number[] }).amounts.push(1000)],
  ["a nested argument", (_agent, _tool, input) => void ((input as { to: { name: string } }).to.name = "eve")],
  ["the agent", (agent) => void ((agent as { agentId: string }).agentId = "owner")],
  ["the agent's metadata", (agent) => void ((agent.metadata as Record<string, string>)["team"] = "finance")],
  ["the principal's scopes", (_agent, _tool, _input, { principal }) => void (principal.scopes as string[]).push("*")],
  ["the context", (_agent, _tool, _input, context) => void ((context as { mode: string }).mode = "simulation")],
  ["the redactor", (_a, _t, _i, { redactor }) => void ((redactor as unknown as { text: unknown }).text = String)],
])("a policy that changes %s is denied by its own error, and nothing runs", async (_, change) => {
  const meddle: Policy = (...facts) => {
    change(...facts);
    return allow();
  };
  await expect(refundUnder(meddle)).rejects.toMatchObject({
    code: "POLICY_DENIED",
    cause: expect.stringMatching(/read only|not extensible/) as unknown,
  });
});

test("what a policy catches and changes anyway reaches neither the next policy nor run", async () => {
  const seen: unknown[] = [];
  const meddle: Policy = (_agent, _tool, input) => {
    Reflect.set(input as object, "amounts", [1000]);
    return allow();
  };
  const watch: Policy = (_agent, _tool, input) => {
    seen.push(structuredClone(input));
    return allow();
  };
  const { ran } = await refundUnder(meddle, watch);
  const asSent = { amounts: [5], to: { name: "ada" } };
  expect([...seen, ...ran]).toEqual([asSent, asSent]);
});

test("dates, maps and sets of one policy are not those of the next, nor of run", async () => {
  const seen: unknown[] = [];
  const input = z.object({
    day: z.string().transform((day) => new Date(day)),
    tags: z.array(z.string()).transform((tags) => new Set(tags)),
  });
  const remind = tool({ name: "remind", input, run: ({ day, tags }) => `${day.toISOString()} ${[...tags].join()}` });
  const meddle: Policy = (_agent, _tool, given) => {
    const { day, tags } = given as z.infer<typeof input>;
    seen.push([day.toISOString(), ...tags]);
    day.setFullYear(1970);
    tags.add("evil");
    return allow();
  };
  const gateway = server({ name: "s", tools: [remind], policies: [meddle, meddle] });
  const day = "2026-01-05T00:00:00.000Z";
  expect(await gateway.call("remind", { day, tags: ["a"] })).toBe(`${day} a`);
  expect(seen).toEqual([
    [day, "a"],
    [day, "a"],
  ]);
});

test("the audit log keeps the input as it was before run changed it", async () => {
  const { entries } = await refundUnder(() => allow());
  expect(entries).toMatchObject([{ input: { amounts: [5], to: { name: "ada" } } }]);
});
