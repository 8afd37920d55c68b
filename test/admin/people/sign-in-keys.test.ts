import { expect, test } from "vitest";
import { sqliteStore } from "biplane/sqlite";
import { openPeople } from "../../../src/admin/people/people.ts";
import { SignInKeys } from "../../../src/admin/people/sign-in-keys.ts";
import { cheap, passphrase } from "../api/house.ts";

const here = "127.0.0.1";
const refusal = { code: "UNAUTHORIZED", message: expect.stringMatching(/was used already/) };

async function open() {
  const store = sqliteStore(":memory:");
  const keys = new SignInKeys(store);
  const people = openPeople({ store, cost: cheap, keys });
  await people.add({ name: "ada", passphrase });
  return { store, keys, people, [Symbol.asyncDispose]: () => store.close() };
}

test("a key lets its person in once, whichever process made it", async () => {
  await using house = await open();
  const key = await new SignInKeys(house.store).make("ada");
  const mine = await house.people.signInByKey(key, here);
  expect((await house.people.bySession(mine))?.principal).toMatchObject({ kind: "person", id: "ada", scopes: ["*"] });
  await expect(house.people.signInByKey(key, here)).rejects.toMatchObject(refusal);
});

test("of many who come with a key at the same moment one gets in", async () => {
  await using house = await open();
  const key = await house.keys.make("ada");
  const tries = await Promise.allSettled(Array.from({ length: 5 }, () => house.people.signInByKey(key, here)));
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("what is kept of a key does not open anything", async () => {
  await using house = await open();
  const key = await house.keys.make("ada");
  const kept = await house.store.list("sign-in-keys");
  expect(kept).toHaveLength(1);
  expect(JSON.stringify(kept)).not.toContain(key);
  for (const [hash] of kept) await expect(house.people.signInByKey(hash, here)).rejects.toMatchObject(refusal);
});

test("a key of somebody who is gone opens nothing", async () => {
  await using house = await open();
  const key = await house.keys.make("ada");
  await house.people.remove("ada");
  await expect(house.people.signInByKey(key, here)).rejects.toMatchObject(refusal);
});

test("a house that was opened without keys takes none, not even a good one", async () => {
  await using house = await open();
  const key = await house.keys.make("ada");
  const others = openPeople({ store: house.store, cost: cheap });
  await expect(others.signInByKey(key, here)).rejects.toMatchObject(refusal);
});

test("guessing is slow", async () => {
  await using house = await open();
  const tries = await Promise.allSettled(
    Array.from({ length: 20 }, (_, at) => house.people.signInByKey(`biplane_k_${at}`, here)),
  );
  const codes = tries.map((each) => (each.status === "rejected" ? (each.reason as { code: string }).code : "in"));
  expect(new Set(codes)).toEqual(new Set(["UNAUTHORIZED", "RATE_LIMITED"]));
});
