import { expect, test } from "vitest";
import { openStore } from "biplane/store";
import { openPeople } from "../../../packages/biplane/src/governance/people/people.ts";
import { SignInKeys } from "../../../packages/biplane/src/governance/people/sign-in-keys.ts";
import { cheap, passphrase } from "../../admin/api/api-server.ts";

const here = "127.0.0.1";
const refusal = { code: "UNAUTHORIZED", message: expect.stringMatching(/was already used/) };

async function open() {
  const store = await openStore(":memory:");
  const keys = new SignInKeys(store);
  const people = openPeople({ store, cost: cheap, keys });
  await people.add({ name: "ada", passphrase });
  return { store, keys, people, [Symbol.asyncDispose]: () => store.close() };
}

test("a key signs its person in once, whichever process created it", async () => {
  await using gateway = await open();
  const key = await new SignInKeys(gateway.store).make("ada");
  const mine = await gateway.people.signInByKey(key, here);
  expect((await gateway.people.bySession(mine))?.principal).toMatchObject({ kind: "person", id: "ada", scopes: ["*"] });
  await expect(gateway.people.signInByKey(key, here)).rejects.toMatchObject(refusal);
});

test("of many who come with a key at the same moment one gets in", async () => {
  await using gateway = await open();
  const key = await gateway.keys.make("ada");
  const tries = await Promise.allSettled(Array.from({ length: 5 }, () => gateway.people.signInByKey(key, here)));
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("the stored form of a key cannot be used to sign in", async () => {
  await using gateway = await open();
  const key = await gateway.keys.make("ada");
  const kept = await gateway.store.db.selectFrom("sign_in_keys").selectAll().execute();
  expect(kept).toHaveLength(1);
  expect(JSON.stringify(kept)).not.toContain(key);
  for (const { hash } of kept) await expect(gateway.people.signInByKey(hash, here)).rejects.toMatchObject(refusal);
});

test("a key of a removed person is refused", async () => {
  await using gateway = await open();
  const key = await gateway.keys.make("ada");
  await gateway.people.remove("ada");
  await expect(gateway.people.signInByKey(key, here)).rejects.toMatchObject(refusal);
});

test("a server without sign-in keys refuses every key, even a valid one", async () => {
  await using gateway = await open();
  const key = await gateway.keys.make("ada");
  const others = openPeople({ store: gateway.store, cost: cheap });
  await expect(others.signInByKey(key, here)).rejects.toMatchObject(refusal);
});

test("guessing is slow", async () => {
  await using gateway = await open();
  const tries = await Promise.allSettled(
    Array.from({ length: 20 }, (_, at) => gateway.people.signInByKey(`biplane_k_${at}`, here)),
  );
  const codes = tries.map((each) => (each.status === "rejected" ? (each.reason as { code: string }).code : "in"));
  expect(new Set(codes)).toEqual(new Set(["UNAUTHORIZED", "RATE_LIMITED"]));
});
