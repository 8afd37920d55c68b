import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BiplaneError, allow, reply, server, text, tool } from "biplane";
import type { ServerOptions } from "biplane";
import { collectFaults } from "../support/faults.ts";
import { listen, modern, post } from "../support/serving.ts";
import { within } from "../support/within.ts";

const options = { name: "s", version: "1", onFault: () => undefined };

describe("a result that cannot be written as JSON", () => {
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  const results = {
    bigint: () => 1n,
    cycle: () => loop,
    function: () => () => 1,
    symbol: () => Symbol("odd"),
    structured_bigint: () => reply(text("x"), { structured: { n: 1n } }),
    structured_cycle: () => reply(text("x"), { structured: loop }),
    structured_symbol: () => reply(text("x"), { structured: Symbol("odd") }),
    meta_bigint: () => reply(text("x"), { meta: { n: 1n } }),
    fickle: () => {
      let asked = 0;
      return {
        toJSON() {
          if (asked++ > 0) throw new Error("only once");
          return {};
        },
      };
    },
    unreadable: () => ({
      toJSON: () => ({}),
      get broken() {
        throw new Error("cannot be read");
      },
    }),
  };
  const names = Object.keys(results) as (keyof typeof results)[];
  const kinds = names.flatMap((name) => [
    { name, late: false },
    { name, late: true },
  ]);
  const gateway = () =>
    server({
      ...options,
      hooks: [{ onStart: () => undefined }],
      tools: Object.fromEntries(
        kinds.map(({ name, late }) => {
          const make: () => unknown = results[name];
          const run = late ? () => Promise.resolve().then(make) : make;
          return [late ? `late_${name}` : name, tool({ run })];
        }),
      ),
    });

  it.each(kinds)(
    "is an answer on every wire, and never the end of the process: $name, late $late",
    async ({ name, late }) => {
      await using faults = collectFaults();
      await using served = await listen(gateway());
      const toolName = late ? `late_${name}` : name;
      const { status, json } = await post(served.execute, { tool: toolName, arguments: {} });
      const isResult = status === 200;
      expect(isResult ? Object.keys(json as object) : [status, (json as { error: unknown }).error]).toEqual(
        isResult ? ["result", "request_id"] : [500, "EXECUTION_ERROR"],
      );

      const request = (meta?: object) => ({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: toolName, arguments: {}, ...(meta && { _meta: meta }) },
      });
      const { headers, meta } = modern("tools/call", toolName);
      for (const answer of [await post(served.mcp, request()), await post(served.mcp, request(meta), { headers })]) {
        if (name === "fickle" && (answer.json as { error?: unknown }).error) continue; // the fault shows too late
        expect(answer.json).toMatchObject({ id: 1, result: { content: expect.any(Array) as unknown } });
        const { content } = (answer.json as { result: { content: { type: string; text?: string }[] } }).result;
        for (const part of content) expect(part.text).toBeTypeOf("string");
      }
      expect(await faults.settled()).toEqual([]);
    },
  );
});

describe("hooks and faults", () => {
  it("a doubly cyclic input reaches hooks in finite time", { timeout: 5000 }, async () => {
    // A copy that follows both ways doubles at every level; twenty levels tell finite from hopeless.
    let reads = 0;
    const knot = {};
    for (const key of ["left", "right"]) {
      Object.defineProperty(knot, key, {
        enumerable: true,
        get() {
          if (++reads > 100_000) throw new Error("this would take for ever");
          return knot;
        },
      });
    }
    const seen: unknown[] = [];
    const gateway = server({
      ...options,
      tools: { take: tool({ input: z.object({ any: z.any() }), run: () => "taken" }) },
      hooks: [{ onStart: (start) => void seen.push(start.tool) }],
    });
    expect(await gateway.call("take", { any: knot })).toBe("taken");
    expect(seen).toEqual(["take"]);
  });

  it("an input that cannot be read still ends in a code, after onStart", async () => {
    const seen: string[] = [];
    const gateway = server({
      ...options,
      tools: { take: tool({ input: z.object({ any: z.any() }), run: () => "taken" }) },
      hooks: [
        {
          onStart: () => void seen.push("start"),
          onEnd: () => void seen.push("end"),
          onError: () => void seen.push("error"),
        },
      ],
    });
    const unreadable = Object.defineProperty({}, "any", {
      enumerable: true,
      get() {
        throw new Error("cannot be read");
      },
    });
    await expect(gateway.call("take", unreadable)).rejects.toBeInstanceOf(BiplaneError);
    expect(seen).toEqual(["start", "error"]);
  });

  it("an onFault that itself throws changes nothing", async () => {
    await using faults = collectFaults();
    const breaking: Partial<ServerOptions> = {
      onFault: () => {
        throw new Error("onFault broke");
      },
    };
    const act = tool({ run: () => "acted" });
    const hooked = server({
      ...options,
      ...breaking,
      tools: { act },
      hooks: [
        {
          onStart: () => {
            throw new Error("the hook broke");
          },
          onEnd: () => Promise.reject(new Error("the hook broke")),
        },
      ],
    });
    expect(await hooked.call("act")).toBe("acted");
    const guarded = server({
      ...options,
      ...breaking,
      tools: { act },
      policies: [
        () => {
          throw new Error("the policy broke");
        },
      ],
    });
    await expect(guarded.call("act")).rejects.toMatchObject({ code: "POLICY_DENIED" });
    expect(await faults.settled()).toEqual([]);
  });

  it("an error in a policy is reported to the operator, not to the caller", async () => {
    const told: unknown[] = [];
    const gateway = server({
      ...options,
      onFault: (fault, where) => void told.push([(fault as Error).message, where]),
      tools: { act: tool({ run: () => "acted" }) },
      policies: [
        () => {
          throw new Error("secret: hunter2");
        },
      ],
    });
    const error = await gateway.call("act").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "POLICY_DENIED" });
    expect((error as Error).message).not.toContain("hunter2");
    expect(told).toEqual([["secret: hunter2", "a policy"]]);
  });
});

describe("a call that is cancelled", () => {
  it("before it starts does not run", async () => {
    let ran = false;
    const gateway = server({
      ...options,
      tools: {
        act: tool({
          run: () => {
            ran = true;
            return "acted";
          },
        }),
      },
    });
    await expect(gateway.call("act", {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "CANCELLED" });
    expect(ran).toBe(false);
  });

  it("ends even where a policy never answers", async () => {
    const gateway = server({ ...options, tools: { act: tool({ run: () => "acted" }) } });
    const controller = new AbortController();
    gateway.policy(() => {
      queueMicrotask(() => controller.abort());
      return new Promise(() => undefined);
    });
    const call = gateway.call("act", {}, { signal: controller.signal });
    await expect(within(1000, "the cancelled call", call)).rejects.toMatchObject({ code: "CANCELLED" });
  });

  it("by closing the server ends within the grace time, even where a policy never answers", async () => {
    const gateway = server({ ...options, tools: { act: tool({ run: () => "acted" }) } });
    const started = new Promise<void>((resolve) => {
      gateway.policy(() => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    const served = await listen(gateway, { graceMs: 20 });
    const call = post(served.execute, { tool: "act", arguments: {} }).catch((error: unknown) => error);
    await started;
    await expect(within(2000, "closing", gateway.close())).resolves.toBeUndefined();
    await call;
  });

  it("leaves no listener on the caller's signal", async () => {
    const gateway = server({ ...options, tools: { act: tool({ run: () => "acted" }) } });
    const controller = new AbortController();
    await gateway.call("act", {}, { signal: controller.signal });
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });
});

describe("a tool that fails with a cancellation of its own", () => {
  it("is still answered, because its caller did not cancel", async () => {
    const inner = server({ ...options, tools: { slow: tool({ run: () => new Promise(() => undefined) }) } });
    const outer = server({
      ...options,
      tools: {
        relay: tool({ run: () => inner.call("slow", {}, { signal: AbortSignal.timeout(5) }) }),
      },
      policies: [allow],
    });
    await using served = await listen(outer);
    const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "relay", arguments: {} } };
    const { status, json } = await post(served.mcp, request);
    expect(status).toBe(200);
    expect(json).toMatchObject({ id: 1, result: { isError: true } });
  });
});

it("hooks get a copy of at most 10,000 items and members", async () => {
  const inputs: unknown[] = [];
  const input = { type: "object", properties: { list: {}, map: {} } } as const;
  const subject = server({ name: "s", version: "1", tools: { act: tool({ input, run: () => "done" }) } });
  subject.watch({ onStart: (start) => void inputs.push(start.input) });
  const list = Array.from({ length: 20_000 }, (_, at) => at);
  await subject.call("act", { list });
  await subject.call("act", { map: Object.fromEntries(list.map((at) => [`k${at}`, at])) });
  const [first, second] = inputs as [{ list: unknown[] }, { map: object }];
  expect(first.list).toHaveLength(10_000);
  expect(first.list.at(-1)).toBe("…");
  expect(Object.keys(second.map)).toHaveLength(10_000);
});
