import fc from "fast-check";
import { expect, test } from "vitest";
import { bearerTokens } from "../../../packages/biplane/src/governance/access/bearer-tokens.ts";
import type { BearerToken } from "../../../packages/biplane/src/governance/access/bearer-tokens.ts";
import { firstOf } from "../../../packages/biplane/src/governance/access/first-of.ts";
import { scopePolicy } from "../../../packages/biplane/src/governance/access/scope-policy.ts";
import { newToken, tokenHash } from "../../../packages/biplane/src/governance/access/token.ts";

const agent = newToken("biplane_t_");
const trainer = newToken("biplane_t_");
const known = bearerTokens([
  { id: "ada", token: agent, scopes: ["crm:read"] },
  { id: "gym", hash: tokenHash(trainer), kind: "trainer" },
]);
const ask = (authorization?: string) => known({ headers: { authorization }, address: "127.0.0.1" });

test("a token says who it is, whether it is kept itself or as its hash", () => {
  expect(ask(`Bearer ${agent}`)).toEqual({ kind: "token", id: "ada", scopes: ["crm:read"] });
  expect(ask(`bearer  ${trainer}`)).toEqual({ kind: "trainer", id: "gym", scopes: [] });
  expect(known({ headers: {}, address: "", token: trainer })).toMatchObject({ id: "gym" });
});

test.each([
  ["nothing", undefined],
  ["an empty header", ""],
  ["no scheme", agent],
  ["another scheme", `Basic ${agent}`],
  ["another case", `Bearer ${agent.toUpperCase()}`],
  ["one character less", `Bearer ${agent.slice(0, -1)}`],
  ["one character more", `Bearer ${agent}x`],
  ["two tokens", `Bearer ${agent} ${trainer}`],
  ["the hash that is kept", `Bearer ${tokenHash(trainer)}`],
  ["something huge", `Bearer ${"x".repeat(100_000)}`],
])("%s is refused", (_, header) => {
  expect(ask(header)).toBeUndefined();
});

test("an expired token is refused", () => {
  let clock = Date.parse("2026-01-01T00:00:00Z");
  const expiring = bearerTokens([{ id: "ada", token: agent, expiresAt: "2026-01-02T00:00:00Z" }], { now: () => clock });
  const request = { headers: { authorization: `Bearer ${agent}` }, address: "" };
  expect(expiring(request)).toMatchObject({ id: "ada" });
  clock += 86_400_000;
  expect(() => expiring(request)).toThrow("The token has expired");
});

test.each<[string, readonly unknown[], RegExp]>([
  ["short", [{ id: "a", token: "short" }], /24 characters/],
  ["not for a header", [{ id: "a", token: "with spaces and so on in the middle" }], /24 characters/],
  ["neither token nor hash", [{ id: "a" }], /either token or hash/],
  ["both", [{ id: "a", token: agent, hash: tokenHash(agent) }], /either token or hash/],
  ["a hash that is none", [{ id: "a", hash: "md5:1" }], /sha256:/],
  ["nobody's", [{ id: "", token: agent }], /needs an id/],
  ["of no kind", [{ id: "a", token: agent, kind: "person" }], /kind token or trainer/],
  [
    "there twice",
    [
      { id: "a", token: agent },
      { id: "b", hash: tokenHash(agent) },
    ],
    /the same/,
  ],
  ["without a time", [{ id: "a", token: agent, expiresAt: "soon" }], /is not a time/],
])("a token that is %s is refused where it is written, and not repeated", (_, tokens, message) => {
  let said = "";
  try {
    bearerTokens(tokens as readonly BearerToken[]);
  } catch (error) {
    said = (error as Error).message;
  }
  expect(said).toMatch(message);
  expect(said).not.toContain(agent);
});

test("what breaks in one of several is not passed over", async () => {
  const broken = () => {
    throw new TypeError("broken");
  };
  const late = () => Promise.reject(new TypeError("late"));
  const request = { headers: { authorization: `Bearer ${agent}` }, address: "" };
  expect(() => firstOf(broken, known)(request)).toThrow("broken");
  await expect(firstOf(late, known)(request)).rejects.toThrow("late");
  expect(firstOf(known, broken)(request)).toMatchObject({ id: "ada" });
  expect(firstOf()(request)).toBeUndefined();
});

test("a pattern of tools fits what the same pattern of a shell does", () => {
  const letter = fc.constantFrom("a", "b", "_", "*");
  fc.assert(
    fc.property(
      fc.array(letter, { minLength: 1, maxLength: 8 }),
      fc.array(letter, { maxLength: 8 }),
      (glob, letters) => {
        const pattern = glob.join("");
        const name = letters.join("").replaceAll("*", "c");
        const policy = scopePolicy({ [pattern]: ["x"] });
        const naive = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name);
        const decision = policy({} as never, name, {}, { principal: { kind: "token", id: "", scopes: [] } } as never);
        expect(decision).toMatchObject({ verdict: naive ? "deny" : "allow" });
      },
    ),
  );
});
