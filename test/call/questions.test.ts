import { serverOf } from "@biplane/core/internal";
import { describe, expect, it } from "vitest";
import { ask, deny, form, roots, sample, server, tool, visit } from "biplane";
import type { Call, Question } from "biplane";
import type { Approver } from "../../packages/core/src/call/approve.ts";
import { LiveCall } from "../../packages/core/src/call/live-call.ts";
import type { Peer } from "../../packages/core/src/call/live-call.ts";
import type { Outcome } from "../../packages/core/src/call/outcome.ts";
import { within } from "../support/within.ts";

const nameForm = form("Your name?", { type: "object", properties: { name: { type: "string" } }, required: ["name"] });
const accepted = (name: string) => ({ action: "accept", content: { name } });

/** A call to a tool whose `run` is given, by a caller that can be asked as `peer` says. */
function perform(
  run: (input: Record<string, unknown>, call: Call) => unknown,
  options: { peer?: Peer; answers?: Record<string, unknown>; timeoutMs?: number; interactive?: boolean } = {},
): { call: LiveCall; outcome: Promise<Outcome> } {
  const { peer, answers, timeoutMs = 1000, interactive = true } = options;
  const gateway = server({ name: "s", version: "1", tools: { asker: tool({ interactive, timeoutMs, run }) } });
  const call = new LiveCall({
    tool: "asker",
    input: {},
    route: "direct",
    agent: { agentId: "a", model: undefined, requestId: "r", metadata: {} },
    principal: { kind: "local", id: "me", scopes: [] },
    answers,
    peer,
  });
  return { call, outcome: within(3000, "the call", Promise.resolve(serverOf(gateway).perform(call))) };
}

/** A caller that answers each question by its key. */
const answering = (answer: (key: string) => unknown): Peer => ({
  canAsk: () => true,
  async ask(questions) {
    const given = Object.keys(questions).map(async (key) => [key, await answer(key)] as const);
    return Object.fromEntries(await Promise.all(given));
  },
});

const done = (value: unknown) => expect.objectContaining({ status: "done", value });
const failed = (code: string) =>
  expect.objectContaining({ status: "failed", error: expect.objectContaining({ code }) as unknown });

describe("a tool that asks", () => {
  it("waits for the answer and goes on", async () => {
    const { outcome } = perform(async (_, call) => (await call.ask("name", nameForm)).content, {
      peer: answering(() => accepted("Ada")),
    });
    expect(await outcome).toEqual(done({ name: "Ada" }));
  });

  it("gets the answers of a form, a link, a model and the roots", async () => {
    const answers: Record<string, unknown> = {
      form: { action: "decline" },
      link: { action: "accept" },
      sample: { role: "assistant", content: { type: "text", text: "hi" }, model: "m" },
      roots: { roots: [{ uri: "file:///home" }] },
    };
    const questions = {
      form: nameForm,
      link: visit("Pay", "https://pay.example"),
      sample: sample({ messages: [], maxTokens: 1 }),
      roots: roots(),
    };
    const { outcome } = perform((_, call) => call.askAll(questions), { peer: answering((key) => answers[key]) });
    expect(await outcome).toEqual(done(answers));
  });

  it("gets NOT_SUPPORTED if the caller cannot be asked, with the kind of answer that was needed", async () => {
    const { outcome } = perform((_, call) => call.ask("name", nameForm));
    expect(await outcome).toMatchObject({
      status: "failed",
      error: { code: "NOT_SUPPORTED", details: { question: "form" } },
    });
  });

  it("can find out first whether the caller can be asked", async () => {
    const seen = (peer?: Peer) => perform((_, call) => call.canAsk("form"), peer ? { peer } : {}).outcome;
    expect(await seen()).toEqual(done(false));
    expect(await seen({ canAsk: (kind) => kind === "form" })).toEqual(done(true));
  });

  it("needs interactive: true", async () => {
    const { outcome } = perform((_, call) => call.ask("name", nameForm), {
      interactive: false,
      peer: answering(() => accepted("Ada")),
    });
    expect(await outcome).toMatchObject({
      error: { code: "NOT_SUPPORTED", message: expect.stringContaining("interactive: true") as unknown },
    });
  });

  it("fails where the answer does not fit the question", async () => {
    for (const odd of [undefined, null, "yes", {}, { action: "accept" }, { action: "accept", content: { name: 1 } }]) {
      const { outcome } = perform((_, call) => call.ask("name", nameForm), { peer: answering(() => odd) });
      expect(await outcome).toEqual(failed("EXECUTION_ERROR"));
    }
  });

  it("is suspended where answers come with the next attempt, and starts again with them by key", async () => {
    const later: Peer = { canAsk: () => true, ask: () => undefined };
    let starts = 0;
    const run = async (_: unknown, call: Call) => {
      starts++;
      const first = await call.ask("first", nameForm);
      const second = await call.ask("second", nameForm);
      return [first.content?.["name"], second.content?.["name"]];
    };
    const one = await perform(run, { peer: later }).outcome;
    expect(one).toEqual({ status: "suspended", questions: { first: nameForm } });
    const two = await perform(run, { peer: later, answers: { first: accepted("Ada") } }).outcome;
    expect(two).toEqual({ status: "suspended", questions: { second: nameForm } });
    const answers = { first: accepted("Ada"), second: accepted("Bea") };
    expect(await perform(run, { peer: later, answers }).outcome).toEqual(done(["Ada", "Bea"]));
    expect(starts).toBe(3);
  });

  it("is asked for again where a replayed answer does not fit", async () => {
    const later: Peer = { canAsk: () => true, ask: () => undefined };
    const answers = { name: { action: "accept", content: { name: 7 } } };
    const { outcome } = perform((_, call) => call.ask("name", nameForm), { peer: later, answers });
    expect(await outcome).toMatchObject({ status: "suspended", questions: { name: nameForm } });
  });

  it("stays suspended even where run swallows the interruption", async () => {
    const later: Peer = { canAsk: () => true, ask: () => undefined };
    const run = async (_: unknown, call: Call) => {
      await call.ask("name", nameForm).catch(() => undefined);
      return "went on without";
    };
    expect(await perform(run, { peer: later }).outcome).toMatchObject({ status: "suspended" });
  });

  it("ends at once when it is cancelled while a question waits", async () => {
    const asked = deferred<void>();
    const peer: Peer = {
      canAsk: () => true,
      ask() {
        asked.resolve();
        return new Promise(() => undefined);
      },
    };
    const { call, outcome } = perform((_, call) => call.ask("name", nameForm), { peer });
    await asked.promise;
    call.cancel();
    expect(await outcome).toEqual(failed("CANCELLED"));
  });

  it("answers NOT_SUPPORTED to a program that calls it without a way to be asked", async () => {
    const gateway = server({
      name: "s",
      version: "1",
      tools: { asker: tool({ interactive: true, run: (_, call) => call.ask("name", nameForm) }) },
    });
    await expect(gateway.call("asker")).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
    await expect(gateway.call("asker", {}, { peer: answering(() => accepted("Ada")) })).resolves.toEqual(
      accepted("Ada"),
    );
    const later: Peer = { canAsk: () => true, ask: () => undefined };
    await expect(gateway.call("asker", {}, { peer: later })).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
  });
});

describe("the clock of a run", () => {
  const timeoutMs = 40;
  const person = (ms: number): Peer => answering(() => wait(ms).then(() => accepted("Ada")));

  it("stands still while a question waits that run asks at once", async () => {
    const { outcome } = perform((_, call) => call.ask("name", nameForm), { timeoutMs, peer: person(4 * timeoutMs) });
    expect(await outcome).toEqual(done(accepted("Ada")));
  });

  it("stands still while a question waits that run asks later", async () => {
    const run = async (_: unknown, call: Call) => {
      await wait(1);
      return call.ask("name", nameForm);
    };
    const { outcome } = perform(run, { timeoutMs, peer: person(4 * timeoutMs) });
    expect(await outcome).toEqual(done(accepted("Ada")));
  });

  it("stands still until the last of several questions is answered", async () => {
    const run = async (_: unknown, call: Call) => {
      await wait(1);
      return Promise.all([call.ask("quick", nameForm), call.ask("slow", nameForm)]);
    };
    const peer = answering((key) => wait(key === "quick" ? 1 : 4 * timeoutMs).then(() => accepted(key)));
    expect(await perform(run, { timeoutMs, peer }).outcome).toEqual(done([accepted("quick"), accepted("slow")]));
  });

  it("goes on after the answer", async () => {
    const run = async (_: unknown, call: Call) => {
      await call.ask("name", nameForm);
      await new Promise(() => undefined);
    };
    expect(await perform(run, { timeoutMs, peer: person(1) }).outcome).toEqual(failed("TIMEOUT"));
  });

  const compute = (ms: number) => {
    const until = performance.now() + ms;
    while (performance.now() < until);
    return "late";
  };

  it.each<[string, () => unknown]>([
    ["a synchronous run", () => compute(20)],
    ["a run that computes, then returns a promise", async () => compute(20)],
    ["a run that computes after a wait", () => Promise.resolve().then(() => compute(20))],
  ])("counts the time in which nothing else can happen: %s", async (_, run) => {
    expect(await perform(run, { timeoutMs: 5 }).outcome).toEqual(failed("TIMEOUT"));
  });

  it("does not replace the error of a late run that throws", async () => {
    const run = () => {
      throw new Error(compute(20));
    };
    expect(await perform(run, { timeoutMs: 5 }).outcome).toEqual(failed("EXECUTION_ERROR"));
  });

  it("aborts the signal with the reason when it runs out", async () => {
    const aborted = deferred<unknown>();
    const run = (_: unknown, call: Call) =>
      new Promise((_resolve, reject) => {
        call.signal.addEventListener("abort", () => {
          aborted.resolve(call.signal.reason);
          reject(new Error("stopped"));
        });
      });
    expect(await perform(run, { timeoutMs: 5 }).outcome).toEqual(failed("TIMEOUT"));
    expect(await aborted.promise).toMatchObject({ code: "TIMEOUT" });
  });
});

describe("a policy that asks", () => {
  const tools = { act: tool({ run: () => "acted" }) };

  it("is rejected if there is no approver", async () => {
    const gateway = server({ name: "s", version: "1", tools, policies: [() => ask("May it act?")] });
    await expect(gateway.call("act")).rejects.toMatchObject({
      code: "APPROVAL_REJECTED",
      message: expect.stringContaining("May it act?") as unknown,
    });
  });

  it("asks the approver everything at once, with the checked input, after all policies have decided", async () => {
    const questions: unknown[] = [];
    const approver: Approver = {
      approve: async ({ call, input, questions: open }) => {
        questions.push([call.tool, input, ...open.map(({ rule, question }) => [rule, question])]);
        return { by: "somebody", waited: false };
      },
    };
    const policies = [() => ask("First?"), () => ask("Second?")];
    const gateway = server({ name: "s", version: "1", tools, policies, approver });
    expect(await gateway.call("act")).toBe("acted");
    expect(questions).toEqual([["act", {}, ["policy 1", "First?"], ["policy 2", "Second?"]]]);
    gateway.policy(() => deny("never"));
    await expect(gateway.call("act")).rejects.toMatchObject({ code: "POLICY_DENIED" });
    expect(questions).toHaveLength(1);
  });

  it("can be cancelled while it waits for the approver", async () => {
    const thinking = deferred<void>();
    const approver: Approver = {
      approve: () => {
        thinking.resolve();
        return new Promise(() => undefined);
      },
    };
    const gateway = server({ name: "s", version: "1", tools, policies: [() => ask("?")], approver });
    const controller = new AbortController();
    const call = gateway.call("act", {}, { signal: controller.signal });
    await thinking.promise;
    controller.abort();
    await expect(within(1000, "the cancelled call", call)).rejects.toMatchObject({ code: "CANCELLED" });
  });
});

describe("after a call is over", () => {
  it("nothing more is sent to its caller", async () => {
    const told: string[] = [];
    const peer: Peer = {
      progress: () => void told.push("progress"),
      log: () => void told.push("log"),
      canAsk: () => true,
      ask: async (questions: Readonly<Record<string, Question>>) => {
        told.push("ask");
        return Object.fromEntries(Object.keys(questions).map((key) => [key, accepted("x")]));
      },
    };
    const late = deferred<Call>();
    const run = (_: unknown, call: Call) => {
      late.resolve(call);
      call.progress(1);
      return "done";
    };
    expect(await perform(run, { peer }).outcome).toEqual(done("done"));
    const call = await late.promise;
    call.progress(2);
    call.log("error", "too late");
    await call.ask("late", nameForm).catch(() => undefined);
    expect(told).toEqual(["progress"]);
  });
});

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
