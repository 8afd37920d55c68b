import fc from "fast-check";
import { ask, deny, allow, server, tool } from "biplane";
import type { Server } from "biplane";
import { describe, expect, it } from "vitest";
import { exposition } from "../../packages/biplane/src/observe/exposition.ts";
import { createMetrics } from "../../packages/biplane/src/observe/metrics.ts";
import type { Metrics } from "../../packages/biplane/src/observe/metrics.ts";
import { Shares } from "../../packages/core/src/call/shares.ts";
import { fixture } from "../support/fixture.ts";
import { runs } from "../support/runs.ts";
import { listen, post } from "../support/serving.ts";
import { readExposition, valueOf } from "./read-exposition.ts";
import { anyCharacter } from "../support/any-character.ts";

const read = async (metrics: Metrics) => readExposition(await metrics.text());
const attempt = (gateway: Server, name: string, input?: unknown) => gateway.call(name, input).catch(() => undefined);

describe("what callers hold", () => {
  it("is shown in sum, for the caller who holds most, and with its limit, without names", async () => {
    using metrics = createMetrics();
    const shares = new Shares("bytes of notes", { perCaller: 10, total: 15 });
    metrics.watch(shares);
    metrics.watch(shares);
    shares.take("token ada", 7);
    shares.take("token ben", 2);
    expect(() => shares.take("token ada", 9)).toThrow("One caller");
    const families = await read(metrics);
    const held = (name: string) => valueOf(families, `biplane_held${name}`, { resource: "bytes of notes" });
    expect([held(""), held("_largest"), held("_limit"), held("_refused_total")]).toEqual([9, 7, 15, 1]);
    expect(await metrics.text()).not.toMatch(/ada|ben/);
  });
});

describe("outcomes of calls", () => {
  it("is counted by tool, route and outcome, and failures by code", async () => {
    using metrics = createMetrics();
    const gateway = fixture().measure(metrics);
    await gateway.call("say");
    await gateway.call("say");
    await attempt(gateway, "fail");
    await attempt(gateway, "add", { a: "x" });
    const families = await read(metrics);
    const calls = (name: string, outcome: string) =>
      valueOf(families, "biplane_calls_total", { tool: name, route: "direct", outcome });
    expect(calls("say", "done")).toBe(2);
    expect(calls("fail", "EXECUTION_ERROR")).toBe(1);
    expect(calls("add", "INVALID_INPUT")).toBe(1);
    expect(valueOf(families, "biplane_errors_total", { code: "EXECUTION_ERROR" })).toBe(1);
    expect(valueOf(families, "biplane_errors_total", { code: "INVALID_INPUT" })).toBe(1);
  });

  it("tells the routes apart, whatever the transport", async () => {
    using metrics = createMetrics();
    const gateway = fixture().measure(metrics);
    await using served = await listen(gateway);
    await post(served.mcp, { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "say" } });
    await post(served.mcp, { jsonrpc: "2.0", id: 2, method: "resources/read", params: { uri: "note://readme" } });
    await post(served.execute, { tool: "say" });
    const families = await read(metrics);
    const calls = (name: string, route: string) =>
      valueOf(families, "biplane_calls_total", { tool: name, route, outcome: "done" });
    expect([calls("say", "mcp"), calls("say", "execute"), calls("resources/read", "mcp")]).toEqual([1, 1, 1]);
  });

  it("refusals, limits and questions count too", async () => {
    using metrics = createMetrics();
    const quick = tool({ name: "quick", description: "Is limited", run: () => 1 });
    const gateway = server({
      name: "limited",
      version: "1.0.0",
      tools: [quick],
      limits: { perPrincipal: { perSecond: 0.001, burst: 2 } },
      policies: [(_, __, ___, { route }) => (route === "script" ? deny("no") : route === "app" ? ask("?") : allow())],
      meters: [metrics],
    });
    const from = (route: "script" | "app" | "mcp", id: string) =>
      gateway.call("quick", {}, { route, principal: { kind: "token", id, scopes: [] } }).catch(() => undefined);
    await from("script", "a");
    await from("app", "b");
    for (let at = 0; at < 5; at++) await from("mcp", "c");
    const families = await read(metrics);
    const errors = (code: string) => valueOf(families, "biplane_errors_total", { code });
    expect([errors("POLICY_DENIED"), errors("APPROVAL_REJECTED"), errors("RATE_LIMITED")]).toEqual([1, 1, 3]);
    expect(valueOf(families, "biplane_rate_limited_total")).toBe(3);
  });

  it("durations go into the bucket they belong to", async () => {
    using metrics = createMetrics();
    const labels = { tool: "say", route: "direct" } as const;
    const gateway = fixture();
    const durations = [0.5, 1, 1.5, 40, 1000, 120_000];
    // The pipeline measures time; here the test calls the meter, so that the figures are known.
    gateway.measure({ end: (measured) => metrics.end({ ...measured, durationMs: durations.shift() ?? 0 }) });
    for (let at = 0; at < 6; at++) await gateway.call("say");
    const families = await read(metrics);
    const below = (le: string) => valueOf(families, "biplane_call_duration_seconds_bucket", { ...labels, le });
    expect(["0.001", "0.0025", "0.025", "0.05", "1", "60", "+Inf"].map(below)).toEqual([2, 3, 3, 4, 5, 5, 6]);
    expect(valueOf(families, "biplane_call_duration_seconds_sum", labels)).toBeCloseTo(121.043);
    expect(valueOf(families, "biplane_call_duration_seconds_count", labels)).toBe(6);
  });

  it("a meter that throws is reported and fails no call", async () => {
    const faults: string[] = [];
    const gateway = fixture({ onFault: (_, where) => faults.push(where) }).measure({
      end: () => {
        throw new Error("full");
      },
    });
    expect(await gateway.call("say")).toBe("hello");
    expect(faults).toEqual(["a meter"]);
  });
});

describe("names that callers make up", () => {
  it("make no series of their own", async () => {
    using metrics = createMetrics();
    const gateway = fixture().measure(metrics);
    for (let at = 0; at < 1000; at++) await attempt(gateway, `invented_${at}`);
    const families = await read(metrics);
    expect(
      valueOf(families, "biplane_calls_total", { tool: "unknown", route: "direct", outcome: "TOOL_NOT_FOUND" }),
    ).toBe(1000);
    expect(families.get("biplane_calls_total")?.samples).toHaveLength(1);
  });

  it("nor does a call that was cancelled before its tool was looked for", async () => {
    using metrics = createMetrics();
    const gateway = fixture().measure(metrics);
    await gateway.call("invented", {}, { signal: AbortSignal.abort() }).catch(() => undefined);
    const families = await read(metrics);
    expect(families.get("biplane_calls_total")?.samples.map(({ labels }) => labels["tool"])).toEqual(["unknown"]);
  });

  it("tools without end, as a mounted server may bring them, end in one series", async () => {
    using metrics = createMetrics({ maxSeries: 10 });
    const tools = Array.from({ length: 50 }, (_, at) => tool({ name: `t${at}`, description: "", run: () => at }));
    const gateway = server({ name: "many", version: "1.0.0", tools, meters: [metrics] });
    for (const { name } of tools) await gateway.call(name);
    await attempt(gateway, "invented");
    const families = await read(metrics);
    const samples = families.get("biplane_calls_total")?.samples ?? [];
    expect(samples).toHaveLength(12);
    expect(valueOf(families, "biplane_calls_total", { tool: "other", route: "direct", outcome: "done" })).toBe(40);
    expect(samples.at(-1)?.labels["tool"]).toBe("unknown");
  });
});

describe("the text", () => {
  it("can be read by a strict reader, whatever labels, help and numbers hold", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ unit: "grapheme" }), { maxLength: 5 }),
        fc.string({ unit: "grapheme" }),
        fc.double(),
        (labels, help, value) => {
          const samples = labels.map((label) => ({ labels: { label }, value }));
          const families = readExposition(exposition([{ name: "m", help, type: "gauge", samples }]));
          const found = families.get("m")?.samples.map((sample) => sample.labels["label"]);
          expect(found).toEqual(labels);
          for (const sample of families.get("m")?.samples ?? []) expect(sample.value).toBe(value === 0 ? 0 : value);
        },
      ),
      runs(300),
    );
  });

  it("can be read where tools have hostile names, and counts every call", async () => {
    const hostile = fc.uniqueArray(fc.string({ unit: anyCharacter, minLength: 1 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(hostile, async (names) => {
        using metrics = createMetrics();
        const measured = fixture();
        const call = (name: string) => ({ tool: name, route: "mcp" }) as never;
        for (const name of names) {
          metrics.end({
            call: call(name),
            tool: measured.find("say"),
            outcome: { status: "suspended", questions: {} },
            durationMs: 1,
            waitedMs: 0,
            timeline: undefined,
          });
        }
        const text = await metrics.text();
        const families = readExposition(Buffer.from(text).toString());
        const counted = families.get("biplane_calls_total")?.samples.reduce((sum, { value }) => sum + value, 0);
        expect(counted).toBe(names.length);
        expect(text.replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      }),
      runs(100),
    );
  });

  it("of a server without any calls is complete", async () => {
    using metrics = createMetrics();
    const families = await read(metrics);
    expect([...families.keys()]).toContain("biplane_calls_total");
    expect(valueOf(families, "biplane_rate_limited_total")).toBe(0);
  });
});

describe("gauges", () => {
  it("are read when asked for, and added up where several parts bring the same", async () => {
    using metrics = createMetrics();
    let open = 2;
    const take = metrics.gauge("sessions", () => open);
    metrics.gauge("sessions", async () => 5);
    metrics.gauge("approvals_waiting", () => 1);
    expect(valueOf(await read(metrics), "biplane_sessions")).toBe(7);
    open = 3;
    expect(valueOf(await read(metrics), "biplane_sessions")).toBe(8);
    take();
    const families = await read(metrics);
    expect(valueOf(families, "biplane_sessions")).toBe(5);
    expect(families.get("biplane_approvals_waiting")?.help).toBe("Calls that wait for approval");
  });

  it("one that cannot be read says nothing, and the others are there", async () => {
    using metrics = createMetrics();
    metrics.gauge("sessions", () => {
      throw new Error("gone");
    });
    metrics.gauge("episodes", () => Promise.reject(new Error("gone")));
    metrics.gauge("approvals_waiting", () => 1);
    const families = await read(metrics);
    expect(families.get("biplane_sessions")?.samples).toEqual([]);
    expect(families.get("biplane_episodes")?.samples).toEqual([]);
    expect(valueOf(families, "biplane_approvals_waiting")).toBe(1);
  });

  it("a name that is none is refused", () => {
    using metrics = createMetrics();
    for (const name of ["", "Sessions", "a b", 'a{x="1"} 1\nb']) {
      expect(() => metrics.gauge(name, () => 1)).toThrow(/is not a valid gauge name/);
    }
  });

  it("say how the process is", async () => {
    let time = 1000;
    using metrics = createMetrics({ now: () => time });
    time = 61_000;
    const families = await read(metrics);
    expect(valueOf(families, "biplane_uptime_seconds")).toBe(60);
    expect(valueOf(families, "process_resident_memory_bytes")).toBeGreaterThan(1e6);
    expect(valueOf(families, "nodejs_eventloop_lag_max_seconds")).toBe(0);
  });

  it("a loop that was held up shows", async () => {
    using metrics = createMetrics();
    await read(metrics);
    for (let turn = 0; turn < 5; turn++) {
      const until = performance.now() + 60;
      while (performance.now() < until);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(valueOf(await read(metrics), "nodejs_eventloop_lag_max_seconds")).toBeGreaterThan(0.03);
  });
});
