import { linkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { server } from "biplane";
import type { BiplaneError } from "biplane";
import { sqliteStore } from "biplane/sqlite";
import { scriptPack } from "../../../src/pack/script/pack.ts";
import type { Store } from "../../../src/store/store.ts";
import { ada, agent, openHouse, sha256 } from "./house.ts";
import type { House } from "./house.ts";

const good = 'result = "good"\n';
const evil = 'result = "evil"\n';

const failure = async (work: Promise<unknown>): Promise<BiplaneError> =>
  work.then(
    (value) => expect.fail(`it ran: ${JSON.stringify(value)}`),
    (error: BiplaneError) => error,
  );

const statuses = async (house: House) => {
  const { scripts } = (await house.call("script_list", {})) as {
    scripts: { name: string; approval_status: string }[];
  };
  return Object.fromEntries(scripts.map(({ name, approval_status: status }) => [name, status]));
};

const firstWaiting = async (house: House) => {
  const [waiting] = await house.approvals.list({ status: "waiting" });
  return waiting ?? expect.fail("nothing waits");
};

const pendingText =
  "Script 'weather.star' is pending approval. An administrator must review and approve this script before it can be executed.";
const modifiedText = "Script 'weather.star' has been modified since approval. Re-approval required.";

describe("a script", () => {
  test("waits until a person approves its bytes, then runs whatever its arguments, until it changes", async () => {
    await using house = openHouse({ scripts: { weather: "def main(x = 1): return x\n" } });
    const first = await failure(house.run("weather"));
    expect(first.code).toBe("APPROVAL_PENDING");
    expect(first.message).toContain(pendingText);
    const waiting = await firstWaiting(house);
    expect(waiting.subject).toMatchObject({ script: "weather.star", source: "def main(x = 1): return x\n" });
    await house.approvals.answer([waiting.id], { verdict: "approve", hold: { kind: "always", for: "everyone" } }, ada);
    expect(await house.run("weather")).toBe(1);
    expect(await house.run("weather", { args: [2] })).toBe(2);
    house.write("weather", "def main(x = 1): return x \n");
    const changed = await failure(house.run("weather"));
    expect(changed.code).toBe("APPROVAL_PENDING");
    expect(changed.message).toContain(modifiedText);
    expect(await statuses(house)).toEqual({ weather: "modified" });
  });

  test("that was approved once runs once", async () => {
    await using house = openHouse({ scripts: { weather: good } });
    await failure(house.run("weather"));
    await house.approvals.answer([(await firstWaiting(house)).id], { verdict: "approve" }, ada);
    expect(await house.run("weather")).toBe("good");
    expect((await failure(house.run("weather"))).code).toBe("APPROVAL_PENDING");
  });

  test("is pending, approved, modified, rejected: the list says which, by the name the list has", async () => {
    await using house = openHouse({ scripts: { weather: good } });
    expect(await statuses(house)).toEqual({ weather: "pending" });
    await house.approve("weather", good);
    expect(await statuses(house)).toEqual({ weather: "approved" });
    house.write("weather", evil);
    expect(await statuses(house)).toEqual({ weather: "modified" });
    house.write("weather", good);
    expect(await statuses(house)).toEqual({ weather: "approved" });
    const [grant] = await house.approvals.grants();
    const matter = { server: "house", tool: "script_run", subject: grant?.subject };
    await house.approvals.decide(matter, { verdict: "reject", reason: "not this one" }, ada);
    expect(await statuses(house)).toEqual({ weather: "rejected" });
    expect(await house.approvals.grants()).toEqual([]);
    const refused = await failure(house.run("weather"));
    expect(refused).toMatchObject({ code: "APPROVAL_REJECTED", message: "The call was not approved: not this one" });
    await house.approve("weather", good);
    expect(await house.run("weather")).toBe("good");
  });
});

describe("the bypasses", () => {
  test("code given to script_exec is approved like a script, and for itself alone", async () => {
    await using house = openHouse({ secrets: () => "top-secret-value" });
    const code = '# @secrets: X\nresult = len(secrets.get("X"))\n';
    expect((await failure(house.call("script_exec", { code }))).code).toBe("APPROVAL_PENDING");
    const waiting = await firstWaiting(house);
    expect(waiting).toMatchObject({ input: { code }, subject: { secrets: ["X"] } });
    await house.approvals.answer([waiting.id], { verdict: "approve", hold: { kind: "always", for: "everyone" } }, ada);
    expect(await house.call("script_exec", { code })).toMatchObject({ value: 16 });
    expect((await failure(house.call("script_exec", { code: `${code} ` }))).code).toBe("APPROVAL_PENDING");
  });

  test("what was listed or reloaded in between is not what runs: nothing is cached", async () => {
    await using house = openHouse({ scripts: { weather: good } });
    await house.approve("weather", good);
    house.write("weather", evil);
    await house.call("script_list", {});
    await house.call("script_reload", {});
    house.write("weather", good);
    expect(await house.run("weather")).toBe("good");
    house.write("weather", evil);
    await house.approve("weather", evil);
    expect(await house.run("weather")).toBe("evil");
  });

  test("a file swapped between the approval and the run does not run: the text that was hashed does", async () => {
    let house: House | undefined;
    await using open = openHouse({ scripts: { weather: good }, onApproved: () => house?.write("weather", evil) });
    house = open;
    await house.approve("weather", good);
    expect(await house.run("weather")).toBe("good");
    expect((await failure(house.run("weather"))).message).toContain(modifiedText);
  });

  test("a file changed while its call waits is asked about anew, and the old yes does not count for it", async () => {
    await using house = openHouse({ scripts: { weather: good } });
    const asked = new Promise<void>((resolve) => house.approvals.onChange(() => resolve()));
    const call = house.server.call("script_run", { name: "weather" }, { principal: agent });
    await asked;
    house.write("weather", evil);
    const again = new Promise<string>((resolve) =>
      house.approvals.onChange(({ id, status, subject }) => {
        if (status === "waiting" && (subject as { sha256: string }).sha256 === sha256(evil)) resolve(id);
      }),
    );
    await house.approvals.answer([(await firstWaiting(house)).id], { verdict: "approve" }, ada);
    await house.approvals.answer([await again], { verdict: "reject", reason: "evil" }, ada);
    expect(await failure(call)).toMatchObject({ code: "APPROVAL_REJECTED" });
  });

  test("two calls that share one input object share no script", async () => {
    const input = { name: "weather" };
    let inBetween = async (): Promise<void> => {};
    await using house = openHouse({ scripts: { weather: good }, onApproved: () => inBetween() });
    await house.approve("weather", good);
    inBetween = async () => {
      house.write("weather", evil);
      await failure(house.call("script_run", input));
    };
    expect(await house.call("script_run", input)).toMatchObject({ value: "good" });
  });

  test.each([
    "weather.star",
    "weather.star.star",
    "../weather",
    "./weather",
    "sub/weather",
    "Weather",
    "weather\0",
    "weather\n",
    "wea\u200bther",
    "",
    "..",
  ])("%j is no name of a script", async (name) => {
    await using house = openHouse({ scripts: { weather: good, "weather.star": evil } });
    await house.approve("weather", good);
    expect((await failure(house.run(name))).code).toBe("INVALID_INPUT");
  });

  test("an allowlist entry is for its bytes: the same name with others is pending", async () => {
    const allowlist = [{ name: "weather", sha256: sha256(good) }];
    await using house = openHouse({ scripts: { weather: good, other: good }, allowlist });
    expect(await house.run("weather")).toBe("good");
    expect((await failure(house.run("other"))).code).toBe("APPROVAL_PENDING");
    house.write("weather", evil);
    const changed = await failure(house.run("weather"));
    expect(changed.code).toBe("APPROVAL_PENDING");
    expect(changed.message).toContain(modifiedText);
    expect((await statuses(house))["weather"]).toBe("modified");
  });

  test("a store that cannot be read approves nothing", async () => {
    const whole = sqliteStore(":memory:");
    let isBroken = false;
    const broken = (): never => {
      throw new Error("the file is corrupt");
    };
    const store = new Proxy(whole, {
      get: (target, key: keyof Store) => {
        const value = target[key] as unknown;
        if (typeof value !== "function") return value;
        return isBroken && ["get", "list", "change"].includes(String(key)) ? broken : value.bind(target);
      },
    });
    await using house = openHouse({ scripts: { weather: good }, approval: { store } });
    await house.approve("weather", good);
    expect(await house.run("weather")).toBe("good");
    isBroken = true;
    expect(await failure(house.run("weather"))).toMatchObject({ code: "APPROVAL_REJECTED" });
    isBroken = false;
    expect(await house.run("weather")).toBe("good");
  });

  test("without an approver, and without the pack's own policy, nothing runs", async () => {
    await using house = openHouse({ scripts: { weather: good } });
    const pack = scriptPack({ root: house.root });
    await using alone = server({ name: "alone", version: "1", packs: [pack] });
    expect(await failure(alone.call("script_run", { name: "weather" }))).toMatchObject({ code: "APPROVAL_REJECTED" });
    await using stripped = server({ name: "stripped", version: "1", tools: pack.tools });
    expect(await failure(stripped.call("script_run", { name: "weather" }))).toMatchObject({ code: "POLICY_DENIED" });
  });

  test("a yes or no given in another process counts at the next call", async () => {
    await using house = openHouse({ scripts: { weather: good } });
    await using other = openHouse({ scripts: { weather: good }, approval: { store: house.store } });
    expect((await failure(house.run("weather"))).code).toBe("APPROVAL_PENDING");
    await other.approve("weather", good);
    expect(await house.run("weather")).toBe("good");
    const [grant] = await house.approvals.grants();
    const matter = { server: "house", tool: "script_run", subject: grant?.subject };
    await other.approvals.decide(matter, { verdict: "reject", reason: "stop" }, ada);
    expect((await failure(house.run("weather"))).code).toBe("APPROVAL_REJECTED");
  });

  test("the caller cannot approve: neither its user, where users may, nor itself", async () => {
    await using house = openHouse({ scripts: { weather: good }, approval: { byCaller: true } });
    const asked: string[] = [];
    const peer = {
      canAsk: () => true,
      ask: async (questions: object) => {
        asked.push(...Object.keys(questions));
        return Object.fromEntries(Object.keys(questions).map((key) => [key, { action: "accept", content: {} }]));
      },
    };
    const options = { principal: agent, patienceMs: 0, peer };
    expect(await failure(house.server.call("script_run", { name: "weather" }, options))).toMatchObject({
      code: "APPROVAL_PENDING",
    });
    expect(asked).toEqual([]);
    const { id, subject } = await firstWaiting(house);
    await expect(house.approvals.answer([id], { verdict: "approve" }, agent)).rejects.toMatchObject({
      code: "UNAUTHORIZED",
    });
    const matter = { server: "house", tool: "script_run", subject };
    await expect(house.approvals.decide(matter, { verdict: "approve" }, agent)).rejects.toMatchObject({
      code: "UNAUTHORIZED",
    });
    expect(await house.approvals.grants()).toEqual([]);
  });

  test("no pattern and no other script's approval covers a script", async () => {
    await using house = openHouse({ scripts: { weather: good, other: good } });
    await house.approve("weather", good);
    expect((await failure(house.run("other"))).code).toBe("APPROVAL_PENDING");
    const hold = { kind: "pattern", pattern: { tool: "script_*" }, for: "everyone" } as const;
    const { id } = await firstWaiting(house);
    await expect(house.approvals.answer([id], { verdict: "approve", hold }, ada)).rejects.toThrow("one exact thing");
  });

  test("links and files with a second name are no scripts", async () => {
    await using house = openHouse({ scripts: { weather: good } });
    await using outside = openHouse({ scripts: { evil } });
    symlinkSync(join(outside.root, "evil.star"), join(house.root, "linked.star"));
    linkSync(join(outside.root, "evil.star"), join(house.root, "hard.star"));
    await house.approve("linked", evil);
    await house.approve("hard", evil);
    for (const name of ["linked", "hard"]) {
      const { code } = await failure(house.run(name));
      expect(code).toBe("EXECUTION_ERROR");
    }
  });

  test("what the reviewer sees is what was asked about, whatever the file holds by then", async () => {
    await using house = openHouse({ scripts: { weather: evil } });
    await failure(house.run("weather"));
    house.write("weather", good);
    expect((await firstWaiting(house)).subject).toMatchObject({ source: evil, sha256: sha256(evil) });
  });

  test("the header is read in one way: further down nothing counts, neither for the list nor for the run", async () => {
    const source = [
      "# @description: The first",
      "# @secrets: ONE",
      "",
      "# @description: The second",
      "# @secrets: TWO",
      'def main(): return [secrets.get("ONE"), secrets.has("TWO"), secrets.list()]',
      'def two(): return secrets.get("TWO")',
    ].join("\n");
    await using house = openHouse({ scripts: { weather: source }, secrets: (name) => `value-of-${name}` });
    await failure(house.run("weather"));
    expect((await firstWaiting(house)).subject).toMatchObject({ secrets: ["ONE"] });
    expect(await house.call("script_list", {})).toMatchObject({
      scripts: [{ description: "The first", required_secrets: ["ONE"] }],
    });
    await house.approve("weather", source);
    expect(await house.run("weather")).toEqual(["[REDACTED:ONE]", false, ["ONE"]]);
    expect((await failure(house.run("weather", { function: "two" }))).message).toContain('"TWO" is not declared');
  });
});
