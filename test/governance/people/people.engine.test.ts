import { afterEach, describe, expect, test } from "vitest";
import type { SqlStore } from "biplane/store";
import { openStore } from "biplane/store";
import { openPeople } from "../../../packages/biplane/src/governance/people/people.ts";
import type { People, PeopleOptions } from "../../../packages/biplane/src/governance/people/people.ts";
import type { Credentials } from "../../../packages/biplane/src/governance/people/person.ts";
import { cheap, passphrase } from "../../admin/api/api-server.ts";

const stores: SqlStore[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

async function open(options: Partial<PeopleOptions> = {}): Promise<{ people: People; store: SqlStore; clock: Clock }> {
  const store = options.store ?? (await openStore(":memory:"));
  stores.push(store);
  const clock: Clock = { now: Date.parse("2026-01-01T00:00:00Z") };
  const people = openPeople({ store, cost: cheap, now: () => clock.now, ...options });
  return { people, store, clock };
}

interface Clock {
  now: number;
}

const here = "192.0.2.1";
const ada = { name: "ada", passphrase };

describe("passphrases", () => {
  test.each([
    ["short", "tr0ub4dor&3"],
    ["the same few characters", "abababababababab"],
    ["a run", "abcdefghijklmnop"],
    ["digits in a row", "123456789012345"],
    ["the name again and again", "adalovelaceadalovelace1"],
    ["what everybody tries", "Password1234!"],
    ["half a character", `long enough but \uD800 broken`],
    ["endless", "ab cd ef ".repeat(200)],
  ])("one that is %s is refused", async (_, weak) => {
    const { people } = await open();
    await expect(people.add({ name: "adalovelace", passphrase: weak })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    expect(await people.needsSetup()).toBe(true);
  });

  test.each([
    ["four words", passphrase],
    ["beyond 72 bytes, where it differs only at the end", `${"x y z w v u ".repeat(20)}A`],
    ["in another script", "пароль из многих слов"],
    ["in pictures", "🦊🐙🦉🐝🦋🐢🐬🦔🐧🦩🦚🦜"],
  ])("one %s is accepted, and nothing near it", async (_, strong) => {
    const { people } = await open();
    await people.add({ name: "ada", passphrase: strong });
    expect(await people.signIn({ name: "ada", passphrase: strong }, here)).toMatchObject({ principal: { id: "ada" } });
    for (const wrong of [
      Array.from(strong).slice(0, -1).join(""),
      `${strong} `,
      strong.toUpperCase() === strong ? "x" : strong.toUpperCase(),
    ])
      await expect(people.signIn({ name: "ada", passphrase: wrong }, here)).rejects.toThrow(/wrong/);
  });

  test("it is the same one on every keyboard, composed or not", async () => {
    const { people } = await open();
    await people.add({ name: "ada", passphrase: "Grüße aus München, Ådal" });
    const typed = "Grüße aus München, Ådal".normalize("NFD");
    expect(typed).not.toBe("Grüße aus München, Ådal");
    expect(await people.signIn({ name: "ADA ", passphrase: typed }, here)).toMatchObject({ principal: { id: "ada" } });
  });

  test("nothing in the store can be used to sign in", async () => {
    const { people, store } = await open();
    await people.add(ada);
    const mine = await people.signIn(ada, here);
    const { token } = await people.newToken("ada");
    const kept: string[] = [];
    for (const table of ["people", "login_sessions", "tokens"] as const)
      kept.push(JSON.stringify(await store.db.selectFrom(table).selectAll().execute()));
    for (const text of kept) {
      expect(text.length).toBeGreaterThan(10);
      for (const secret of [passphrase, mine.id, mine.key, token]) expect(text).not.toContain(secret);
    }
  });
});

describe("guessing", () => {
  const wrong = { name: "ada", passphrase: "not the passphrase of ada" };
  const guess = (people: People, credentials: Credentials = wrong, address = here) =>
    people.signIn(credentials, address).then(
      () => "in",
      (error: { code: string }) => error.code,
    );

  test("costs the same work for a name that exists and one that does not", async () => {
    const { people } = await open({ cost: { N: 2 ** 14, r: 8, p: 1 } });
    await people.add(ada);
    const cpuOf = async (name: string, address: string) => {
      const before = process.cpuUsage();
      await guess(people, { ...wrong, name }, address);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const median = (times: number[]) => times.sort((a, b) => a - b)[2] as number;
    const known: number[] = [];
    const unknown: number[] = [];
    for (let at = 0; at < 5; at++) {
      known.push(await cpuOf("ada", `10.0.0.${at}`));
      unknown.push(await cpuOf(`nobody${at}`, `10.0.1.${at}`));
    }
    expect(median(unknown) / median(known)).toBeGreaterThan(0.5);
    expect(median(unknown) / median(known)).toBeLessThan(2);
  });

  test("a name that exists and one that does not get the same response", async () => {
    const { people } = await open();
    await people.add(ada);
    for (const name of ["ada", "nobody", "", " ", "x".repeat(5000), "../../etc", "__proto__"]) {
      await expect(people.signIn({ ...wrong, name }, `10.0.0.${name.length % 200}`)).rejects.toThrow(
        "The name or the passphrase is wrong.",
      );
    }
  });

  test.each<[string, (at: number) => readonly [Credentials, string]]>([
    ["at one name, from everywhere", (at: number) => [wrong, `10.1.${at}.1`]],
    ["at many names, from one place", (at: number) => [{ ...wrong, name: `name${at}` }, here]],
    ["from one network of IPv6", (at: number) => [{ ...wrong, name: `name${at}` }, `2001:db8::${at}`]],
  ])("%s, is slowed down", async (_, next) => {
    const { people } = await open();
    await people.add(ada);
    const said: string[] = [];
    for (let at = 0; at < 8; at++) said.push(await guess(people, ...next(at)));
    expect(said).toEqual([...Array(5).fill("UNAUTHORIZED"), ...Array(3).fill("RATE_LIMITED")]);
  });

  test("all at once is not one guess", async () => {
    const { people } = await open();
    await people.add(ada);
    const said = await Promise.all(Array.from({ length: 50 }, () => guess(people)));
    expect(said.filter((code) => code === "UNAUTHORIZED")).toHaveLength(5);
  });

  test("each pause is twice the last, none is longer than a minute, and waiting through it is enough", async () => {
    const { people, clock } = await open();
    await people.add(ada);
    for (let at = 0; at < 5; at++) await guess(people);
    const pauses: number[] = [];
    for (let at = 0; at < 9; at++) {
      const error = await people.signIn(wrong, here).catch((thrown: unknown) => thrown as { details: Json });
      const { retryAfterMs } = (error as { details: { retryAfterMs: number } }).details;
      pauses.push(retryAfterMs / 1000);
      clock.now += retryAfterMs - 1;
      expect(await guess(people)).toBe("RATE_LIMITED");
      clock.now += 1;
      expect(await guess(people)).toBe("UNAUTHORIZED");
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    clock.now += 60_000;
    expect(await guess(people, ada)).toBe("in");
    expect(await guess(people)).toBe("UNAUTHORIZED");
  });

  test("by others does not lock a person out of the places they usually log in from", async () => {
    const { people } = await open();
    await people.add(ada);
    await people.signIn(ada, here);
    for (let at = 0; at < 20; at++) await guess(people, wrong, `10.2.${at}.1`);
    expect(await guess(people, ada, "203.0.113.9")).toBe("RATE_LIMITED");
    expect(await guess(people, ada, here)).toBe("in");
  });

  test("wrong guesses at names that do not exist do not slow down a person who signed in from here before", async () => {
    const { people } = await open();
    await people.add(ada);
    expect(await guess(people, ada)).toBe("in");
    const said = new Set<string>();
    for (let at = 0; at < 20; at++) said.add(await guess(people, { ...wrong, name: `nobody${at}` }));
    expect(said).toContain("RATE_LIMITED");
    expect(await guess(people, ada)).toBe("in");
    for (let at = 0; at < 6; at++) await guess(people);
    expect(await guess(people)).toBe("RATE_LIMITED");
  });

  test("one's own name right does not buy guesses at another's from the same place", async () => {
    const { people } = await open();
    await people.add(ada);
    await people.add({ name: "eve", passphrase: "eve has a good one as well" });
    const said: string[] = [];
    for (let at = 0; at < 10; at++) {
      said.push(await guess(people, { ...wrong, name: `name${at}` }));
      await guess(people, { name: "eve", passphrase: "eve has a good one as well" });
    }
    expect(said.filter((code) => code === "UNAUTHORIZED").length).toBeLessThan(7);
  });

  test("a flood of logins waits in line, and what is too much is turned away", async () => {
    const { people } = await open();
    const said = await Promise.all(
      Array.from({ length: 100 }, (_, at) => guess(people, { ...wrong, name: `n${at}` }, `10.3.${at}.1`)),
    );
    expect(said.filter((code) => code === "UNAUTHORIZED")).toHaveLength(34);
    expect(said.filter((code) => code === "RATE_LIMITED")).toHaveLength(66);
    // Those were no guesses, so nothing is held against them.
    expect(await guess(people, { ...wrong, name: "n99" }, "10.3.99.1")).toBe("UNAUTHORIZED");
  });
});

type Json = Record<string, unknown>;

describe("sessions", () => {
  test("end when they are idle, and at their maximum age", async () => {
    const { people, clock } = await open({ sessions: { idleMs: 3_600_000, longestMs: 86_400_000 } });
    await people.add(ada);
    const used = await people.signIn(ada, here);
    const idle = await people.signIn(ada, here);
    for (let at = 0; at < 3; at++) {
      clock.now += 1_800_000;
      expect(await people.bySession(used)).toMatchObject({
        principal: { kind: "person", id: "ada", scopes: ["*"] },
      });
    }
    expect(await people.bySession(idle)).toBeUndefined();
    for (let at = 0; at < 60 && (await people.bySession(used)); at++) clock.now += 1_800_000;
    expect(clock.now - Date.parse("2026-01-01T00:00:00Z")).toBe(86_400_000);
  });

  test("need the key beside the cookie, which browsers send to every port of a machine", async () => {
    const { people } = await open();
    await people.add(ada);
    const [mine, other] = [await people.signIn(ada, here), await people.signIn(ada, here)];
    for (const key of ["", other.key, mine.id]) expect(await people.bySession({ id: mine.id, key })).toBeUndefined();
    expect(await people.bySession(mine)).toBeDefined();
  });

  test("that are over leave the store", async () => {
    const { people, clock, store } = await open();
    await people.add(ada);
    for (let at = 0; at < 3; at++) await people.signIn(ada, here);
    clock.now += 8 * 86_400_000;
    await people.signIn(ada, here);
    expect(await store.db.selectFrom("login_sessions").selectAll().execute()).toHaveLength(1);
  });

  test("logging out ends one, and logging out everywhere ends all", async () => {
    const { people } = await open();
    await people.add(ada);
    await people.add({ name: "bob", passphrase });
    const [one, two, three] = [
      await people.signIn(ada, here),
      await people.signIn(ada, here),
      await people.signIn(ada, here),
    ];
    const bobs = await people.signIn({ name: "bob", passphrase }, here);
    await people.signOut(one.id);
    expect(await people.bySession(one)).toBeUndefined();
    expect(await people.bySession(two)).toBeDefined();
    await people.signOutEverywhere("ada");
    expect(await people.bySession(two)).toBeUndefined();
    expect(await people.bySession(three)).toBeUndefined();
    expect(await people.bySession(bobs)).toBeDefined();
  });

  test("a new passphrase ends them, and the old one opens nothing any more", async () => {
    const { people } = await open();
    await people.add(ada);
    const before = await people.signIn(ada, here);
    await people.setPassphrase({ name: "ada", passphrase: "another one, just as good" });
    expect(await people.bySession(before)).toBeUndefined();
    await expect(people.signIn(ada, here)).rejects.toThrow(/wrong/);
    expect(await people.signIn({ name: "ada", passphrase: "another one, just as good" }, here)).toBeDefined();
  });

  test("the name of a removed person is not given again, because decisions and the audit log name people", async () => {
    const { people } = await open();
    await people.add(ada);
    const mine = await people.signIn(ada, here);
    const { token } = await people.newToken("ada");
    expect(await people.byToken(token)).toMatchObject({ kind: "person", id: "ada" });
    await people.remove("ada");
    expect(await people.bySession(mine)).toBeUndefined();
    expect(await people.byToken(token)).toBeUndefined();
    const refusal = /The name ada belonged to an account that was removed on .* Choose another name/;
    await expect(people.add(ada)).rejects.toThrow(refusal);
    await people.add({ name: "bob", passphrase });
    const { key } = await people.invite({ kind: "person", id: "bob", scopes: ["*"] }, { role: "viewer", days: 1 });
    await expect(people.acceptInvitation({ ...ada, key }, here)).rejects.toThrow(refusal);
    const other = { issuer: "https://id.example.com", subject: "2", name: "ada", role: "viewer" } as const;
    await expect(people.signInProvided(other, here)).rejects.toThrow(refusal);
  });

  test("a removed person of a provider may return, because the provider says that it is the same one", async () => {
    const { people } = await open();
    const provided = { issuer: "https://id.example.com", subject: "1", name: "vic", role: "viewer" } as const;
    await people.signInProvided(provided, here);
    await people.remove("vic");
    expect(await people.signInProvided(provided, here)).toMatchObject({ principal: { id: "vic" } });
  });
});

describe("tokens for programs", () => {
  test("of a person whom a provider signs in need a recent sign-in, and end when the provider refuses", async () => {
    const { people, clock } = await open();
    const vic = { issuer: "https://id.example.com", subject: "1", name: "vic", role: "viewer" } as const;
    const session = await people.signInProvided(vic, here);
    const { token } = await people.newToken("vic", { days: 30 });
    expect(await people.byToken(token)).toMatchObject({ id: "vic" });
    clock.now += 25 * 3_600_000;
    expect(await people.byToken(token)).toBeUndefined();
    const again = await people.signInProvided(vic, here);
    expect(await people.byToken(token)).toMatchObject({ id: "vic" });
    const refused = { ...vic, role: null, refusal: "vic has no role here." };
    await expect(people.signInProvided(refused, here)).rejects.toThrow("vic has no role here.");
    expect(await people.byToken(token)).toBeUndefined();
    expect([await people.bySession(session), await people.bySession(again)]).toEqual([undefined, undefined]);
  });

  test("work until they expire or are taken back, and are shown once", async () => {
    const { people, clock } = await open();
    await people.add(ada);
    const short = await people.newToken("ada", { label: "a script", days: 1 });
    const long = await people.newToken("ada", { days: 30 });
    expect(short.token).toMatch(/^biplane_p_[\w-]{43}$/);
    expect(JSON.stringify(await people.tokens("ada"))).not.toContain("biplane_p_");
    clock.now += 86_400_000;
    expect(await people.byToken(short.token)).toBeUndefined();
    expect(await people.byToken(long.token)).toBeDefined();
    expect(await people.revokeToken("ada", long.id)).toBe(true);
    expect(await people.byToken(long.token)).toBeUndefined();
    expect(await people.revokeToken("ada", long.id)).toBe(false);
  });

  test("one person cannot take back another's", async () => {
    const { people } = await open();
    await people.add(ada);
    await people.add({ name: "bob", passphrase });
    const { id, token } = await people.newToken("ada");
    expect(await people.revokeToken("bob", id)).toBe(false);
    expect(await people.byToken(token)).toBeDefined();
  });
});

describe("the first person", () => {
  const first = { name: "ada", passphrase };

  test("is made with the code of the terminal, once", async () => {
    const { people } = await open();
    const code = (await people.setupCode()) ?? "";
    expect(code).toMatch(/^[A-Z2-9]{5}(-[A-Z2-9]{5}){3}$/);
    await expect(people.setUp({ ...first, code: "WRONG-WRONG-WRONG-WRONG" }, here)).rejects.toThrow(
      /setup code is wrong/,
    );
    expect(await people.setUp({ ...first, code: code.toLowerCase() }, here)).toMatchObject({
      principal: { id: "ada" },
    });
    expect(await people.setupCode()).toBeUndefined();
    await expect(people.setUp({ name: "eve", passphrase, code }, here)).rejects.toThrow(/setup code is wrong/);
    expect(await people.list()).toHaveLength(1);
  });

  test("of many who have the code at the same moment only one gets in", async () => {
    const { people } = await open();
    const code = (await people.setupCode()) ?? "";
    const all = await Promise.allSettled(
      ["ada", "eve", "bob"].map((name) => people.setUp({ name, passphrase, code }, here)),
    );
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await people.list()).toHaveLength(1);
  });

  test("is still needed while nobody has all scopes", async () => {
    const { people } = await open();
    const provided = { issuer: "https://id.example.com", subject: "1", name: "vic", role: "viewer" } as const;
    await people.signInProvided(provided, here);
    await people.add({ name: "pat", passphrase, scopes: ["people"] });
    expect(await people.needsSetup()).toBe(true);
    const code = (await people.setupCode()) ?? "";
    expect(await people.setUp({ ...first, code }, here)).toMatchObject({ principal: { id: "ada", scopes: ["*"] } });
    expect([await people.needsSetup(), await people.setupCode()]).toEqual([false, undefined]);
    await people.setAccess("pat", { role: "owner" });
    await people.remove("ada");
    expect(await people.needsSetup()).toBe(false);
  });

  test("a weak passphrase does not use the code up", async () => {
    const { people } = await open();
    const code = (await people.setupCode()) ?? "";
    await expect(people.setUp({ name: "ada", passphrase: "weak", code }, here)).rejects.toThrow(/12 characters/);
    expect(await people.setUp({ ...first, code }, here)).toBeDefined();
  });

  test("cannot be created without a code from the terminal, or when an account exists", async () => {
    const { people } = await open();
    for (const code of ["", "-", "undefined", "A".repeat(10_000)])
      await expect(people.setUp({ ...first, code }, `10.4.0.${code.length % 99}`)).rejects.toThrow(
        /setup code is wrong/,
      );
    const code = (await people.setupCode()) ?? "";
    await people.add({ name: "bob", passphrase });
    await expect(people.setUp({ ...first, code }, "10.4.1.1")).rejects.toThrow(/setup code is wrong/);
  });
});

test("names are one however they are typed, and two people cannot have the same", async () => {
  const { people } = await open();
  await people.add({ name: " Ada.Lovelace@example.com ", passphrase });
  await expect(people.add({ name: "ADA.LOVELACE@EXAMPLE.COM", passphrase })).rejects.toThrow(/already/);
  for (const name of ["", " ", "-x", "a b", "a/b", "x".repeat(65), "a\u0000b", "<script>"])
    await expect(people.add({ name, passphrase })).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect((await people.list()).map(({ name }) => name)).toEqual(["ada.lovelace@example.com"]);
});

test("two processes on one store know the same people and sessions", async () => {
  const { people, store } = await open();
  const other = openPeople({ store, cost: cheap, now: () => Date.parse("2026-01-01T00:00:00Z") });
  await people.add(ada);
  const mine = await other.signIn(ada, here);
  expect(await people.bySession(mine)).toMatchObject({ principal: { id: "ada" } });
  await people.signOut(mine.id);
  expect(await other.bySession(mine)).toBeUndefined();
});
