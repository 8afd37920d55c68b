import { expect, test } from "vitest";
import { ask, server, tool } from "biplane";
import { openStore } from "biplane/store";
import { openApprovals } from "../../../packages/biplane/src/governance/approvals/approvals.ts";
import { openPeople } from "../../../packages/biplane/src/governance/people/people.ts";
import { passphrase } from "../../admin/api/api-server.ts";

const provided = { issuer: "https://id.example.com", subject: "1", name: "ada.l", role: "approver" } as const;
const person = (id: string) => ({ kind: "person", id, scopes: ["*"] }) as const;
const agent = { kind: "token", id: "agent", scopes: [] } as const;

/** A call that needs two people. Ada has an account with a passphrase and one of the provider. */
async function open() {
  const store = await openStore(":memory:");
  const approvals = openApprovals({ store });
  const people = openPeople({ store, cost: { N: 1024, r: 8, p: 1 } });
  await people.add({ name: "ada", passphrase, email: "Ada@Example.com" });
  await people.add({ name: "bob", passphrase });
  await people.signInProvided({ ...provided, email: "ada@example.com" }, "127.0.0.1");
  const shop = server({
    name: "shop",
    tools: [tool({ name: "wire", run: () => "sent" })],
    approver: approvals,
    policies: [() => ask("May it?", { approvers: 2 })],
  });
  return {
    approvals,
    call: async (by?: string) => {
      const principal = by === undefined ? agent : person(by);
      await shop.call("wire", {}, { principal, patienceMs: 0 }).catch(() => undefined);
      const [waiting] = await approvals.list({ status: "waiting" });
      return waiting?.id ?? "";
    },
    async [Symbol.asyncDispose]() {
      await approvals.close();
      await store.close();
    },
  };
}

test("two accounts with one e-mail address are one of the two people that a call needs", async () => {
  await using opened = await open();
  const { approvals, call } = opened;
  const id = await call();
  await approvals.answer([id], { verdict: "approve" }, person("ada"));
  await expect(approvals.answer([id], { verdict: "approve" }, person("ada.l"))).rejects.toThrow(
    /person ada has approved .* both accounts count as one person/,
  );
  expect((await approvals.get(id))?.votes).toHaveLength(1);
  const [answered] = await approvals.answer([id], { verdict: "approve" }, person("bob"));
  expect(answered).toMatchObject({ status: "approved", answeredBy: "person ada and person bob" });
});

test("a person cannot answer their own call with their other account", async () => {
  await using opened = await open();
  const { approvals, call } = opened;
  const id = await call("ada");
  for (const verdict of [{ verdict: "approve" }, { verdict: "reject", reason: "no" }] as const)
    await expect(approvals.answer([id], verdict, person("ada.l"))).rejects.toThrow(
      "The account ada made this call and has your e-mail address.",
    );
});
