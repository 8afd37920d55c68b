import { expect, test } from "vitest";
import { ask, server, tool } from "biplane";
import type { SqlStore } from "biplane/store";
import { openApprovals } from "../../../packages/biplane/src/governance/approvals/approvals.ts";
import type { NotificationMessage } from "../../../packages/biplane/src/governance/notifications/notification-message.ts";
import { chatText } from "../../../packages/biplane/src/governance/notifications/chat-text.ts";
import { DeliveryQueue } from "../../../packages/biplane/src/governance/notifications/delivery-queue.ts";
import type { SendResult } from "../../../packages/biplane/src/governance/notifications/notification-target.ts";
import { Notifier } from "../../../packages/biplane/src/governance/notifications/notifier.ts";
import { describeEngines } from "../../support/each-engine.ts";

const agent = { kind: "token", id: "agent", scopes: [] } as const;
const ada = { kind: "person", id: "ada", scopes: [] } as const;

interface Received {
  readonly id: string;
  readonly kind: string;
  readonly count: number;
  readonly text: string;
  readonly process: string;
}

/** A process that sends: what it sends is answered by `answer`. */
function openProcess(store: SqlStore, options: ProcessOptions) {
  const { name, received, answer = () => ({ status: "sent" }), now = Date.now } = options;
  const queue = new DeliveryQueue(store, ["phone"]);
  const approvals = openApprovals({ store, outbox: queue, pollMs: 5, maxWaiting: 2000, now });
  const target = {
    name: "phone",
    kind: "webhook" as const,
    address: "https://example.com",
    fingerprint: "1",
    hasAnswerLinks: true,
    pauseMs: options.pauseMs ?? 0,
    isGrouped: options.isGrouped ?? false,
    send: async (messages: readonly NotificationMessage[], signal: AbortSignal) => {
      const [{ id, kind } = { id: "", kind: "test" }] = messages;
      received.push({ id, kind, count: messages.length, text: chatText(messages), process: name });
      return answer(messages, signal);
    },
  };
  const gateway = server({
    name: "gateway",
    tools: [
      tool({
        name: "refund",
        input: { type: "object", properties: { amount: { type: "number" } } },
        run: () => "refunded",
      }),
    ],
    approver: approvals,
    policies: [() => ask("May it?")],
  });
  const faults: unknown[] = [];
  const start = () =>
    new Notifier({
      store,
      queue,
      targets: [target],
      approvals,
      linksOf: () => ({ url: "https://tools.example.com" }),
      onFault: (fault) => void faults.push(fault),
      pollMs: 10,
      random: () => 0.5,
      now,
    });
  const call = (amount: number) =>
    gateway.call("refund", { amount }, { principal: agent, patienceMs: 0 }).catch(() => undefined);
  return { queue, approvals, start, call, faults };
}

interface ProcessOptions {
  readonly name: string;
  readonly received: Received[];
  readonly pauseMs?: number;
  readonly isGrouped?: boolean;
  readonly answer?: (messages: readonly NotificationMessage[], signal: AbortSignal) => SendResult | Promise<SendResult>;
  readonly now?: () => number;
}

describeEngines("notifications", ({ open, location }) => {
  test("are each sent once by several processes", async () => {
    const at = await location();
    const received: Received[] = [];
    const processes = await Promise.all(
      ["one", "other", "third"].map(async (name) => openProcess(await open(at), { name, received })),
    );
    const notifiers = processes.map(({ start }) => start());
    const [one, other] = processes;
    await Promise.all(Array.from({ length: 30 }, async (_, amount) => (amount % 2 === 0 ? one : other)?.call(amount)));
    await expect.poll(async () => (await one?.queue.list(100))?.every(({ status }) => status === "sent")).toBe(true);
    expect(received).toHaveLength(30);
    expect(new Set(received.map(({ id }) => id)).size).toBe(30);
    for (const notifier of notifiers) await notifier[Symbol.asyncDispose]();
    expect(processes.flatMap(({ faults }) => faults)).toEqual([]);
  });

  test("are sent after a restart, with the same id, and with growing pauses", async () => {
    const at = await location();
    const received: Received[] = [];
    let now = Date.now();
    const failing = openProcess(await open(at), {
      name: "before",
      received,
      answer: () => ({ status: "retry", reason: "The webhook answered 500." }),
      now: () => now,
    });
    await failing.call(5);
    const first = failing.start();
    for (const [failures, pauseMs] of [5000, 10_000, 20_000, 40_000].entries()) {
      const newest = async () => (await failing.queue.list(1))[0];
      await expect.poll(newest).toMatchObject({
        status: "waiting",
        attempts: failures + 1,
        next_at: now + pauseMs,
        error: "The webhook answered 500.",
      });
      now += pauseMs;
    }
    await first[Symbol.asyncDispose]();
    now += 60_000;
    const after = openProcess(await open(at), { name: "after", received, now: () => now });
    await using _notifier = after.start();
    await expect.poll(async () => (await after.queue.list(1))[0]?.status).toBe("sent");
    expect(received.at(-1)?.process).toBe("after");
    expect(new Set(received.map(({ id }) => id)).size).toBe(1);
  });

  test("are dropped if the call was answered, and fail when it expires or the target is gone", async () => {
    const received: Received[] = [];
    let now = Date.now();
    let answer: SendResult = { status: "retry", reason: "away", afterMs: 4_000_000 };
    const options = { name: "one", received, answer: () => answer, now: () => now };
    const { call, approvals, queue, start } = openProcess(await open(), options);
    await call(1);
    const [waiting] = await approvals.list({ status: "waiting" });
    await approvals.answer([waiting?.id ?? ""], { verdict: "approve" }, ada);
    await using _notifier = start();
    const newest = async () => (await queue.list(1))[0];
    await expect.poll(async () => (await newest())?.status).toBe("dropped");
    expect(received).toEqual([]);
    now += 1000;
    await call(2);
    await expect.poll(async () => (await newest())?.status).toBe("failed");
    answer = { status: "failed", reason: "The webhook answered 410.", isGone: true };
    now += 1000;
    await call(3);
    await expect.poll(async () => (await newest())?.error).toBe("The webhook answered 410.");
    now += 1000;
    await call(4);
    await expect.poll(async () => (await newest())?.error).toBe("The target answered 410 Gone before.");
    expect(received).toHaveLength(2);
  });

  test("say that a call was answered, also in another process, to targets that were sent the question", async () => {
    const at = await location();
    const received: Received[] = [];
    const { call, start, queue, approvals } = openProcess(await open(at), { name: "one", received });
    await using notifier = start();
    await call(7);
    await expect.poll(() => received.length).toBe(1);
    const store = await open(at);
    const terminal = openApprovals({ store, outbox: new DeliveryQueue(store, []) });
    const [waiting] = await approvals.list({ status: "waiting" });
    await terminal.answer([waiting?.id ?? ""], { verdict: "reject", reason: "not https://evil.example" }, ada);
    await expect.poll(() => received.length).toBe(2);
    expect(received.map(({ kind }) => kind)).toEqual(["requested", "answered"]);
    expect(received[1]?.text).toBe("Rejected by person ada: refund on gateway\nMay it?\nnot https[:]//evil[.]example");
    await notifier[Symbol.asyncDispose]();
    await call(8);
    const [unsent] = await approvals.list({ status: "waiting" });
    await terminal.answer([unsent?.id ?? ""], { verdict: "approve" }, ada);
    expect((await queue.list(10)).filter(({ kind }) => kind === "answered")).toHaveLength(1);
  });

  test("about many calls at once are few in a chat", async () => {
    const received: Received[] = [];
    const options = { name: "one", received, pauseMs: 60_000, isGrouped: true };
    const { call, start, queue, faults } = openProcess(await open(), options);
    const calls = process.env["BIPLANE_SOAK"] ? 1000 : 120;
    for (let amount = 0; amount < calls; amount++) await call(amount);
    await using _notifier = start();
    await expect.poll(async () => (await queue.list(calls)).every(({ status }) => status === "sent")).toBe(true);
    expect(received).toHaveLength(1);
    expect(received[0]?.count).toBe(calls);
    expect(received[0]?.text.split("\n")).toEqual([
      `${calls} calls wait for approval:`,
      ...Array.from({ length: 5 }, () => "- refund: May it?"),
      `and ${calls - 5} more`,
      "List them with: biplane approvals list",
    ]);
    expect(faults).toEqual([]);
  });

  test("that a process was sending when it ended are sent by the next one", async () => {
    const at = await location();
    const received: Received[] = [];
    const stuck = openProcess(await open(at), {
      name: "ending",
      received,
      answer: (_, signal) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve({ status: "retry", reason: "aborted" })),
        ),
    });
    await stuck.call(9);
    const notifier = stuck.start();
    await expect.poll(() => received.length).toBe(1);
    const next = openProcess(await open(at), { name: "next", received });
    await using _next = next.start();
    await notifier[Symbol.asyncDispose]();
    await expect.poll(async () => (await next.queue.list(1))[0]?.status).toBe("sent");
    expect(received.map(({ process }) => process)).toEqual(["ending", "next"]);
  });
});
