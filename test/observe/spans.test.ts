import { serverOf } from "@biplane/core/internal";
import { SpanKind, SpanStatusCode, context, propagation, trace } from "@opentelemetry/api";
import { form, server, tool } from "biplane";
import type { Server } from "biplane";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { LiveCall } from "../../packages/core/src/call/live-call.ts";
import { traceWith } from "../../packages/biplane/src/observe/spans.ts";
import { listen, post } from "../support/serving.ts";
import { keepSpans } from "./memory-tracer.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";
const traceparent = `00-${traceId}-${spanId}-01`;

let kept: ReturnType<typeof keepSpans>;
beforeEach(() => void (kept = keepSpans()));
afterEach(() => kept.stop());

async function gateway(options: { baggage?: boolean } = {}): Promise<Server> {
  const tools = {
    say: tool({ description: "", input: z.object({ word: z.string() }), run: ({ word }) => word }),
    fail: tool({
      description: "",
      input: z.object({ word: z.string() }),
      run: ({ word }) => {
        throw new Error(`cannot say ${word}`);
      },
    }),
    where: tool({
      description: "",
      run: async () => {
        await Promise.resolve();
        return { spanId: trace.getSpanContext(context.active())?.spanId, baggage: baggageNow() };
      },
    }),
    outer: tool({
      description: "",
      run: async (_, call) => {
        const inner = { tool: "say", input: { word: "x" }, agent: call.agent, principal: call.principal };
        // Out of the context, as code in another thread calls: the parent is known all the same.
        const outcome = await context.with(trace.deleteSpan(context.active()), () =>
          serverOf(made).perform(new LiveCall({ ...inner, route: "code", parent: call as LiveCall })),
        );
        return outcome.status;
      },
    }),
    greet: tool({
      description: "",
      interactive: true,
      run: (_, call) => call.ask("name", form("Who?", { type: "object", properties: {} })),
    }),
  };
  const made = server({ name: "traced", version: "1.0.0", tools, meters: [await traceWith(options)] });
  return made;
}

function baggageNow(): unknown {
  return propagation
    .getActiveBaggage()
    ?.getAllEntries()
    .map(([key, { value }]) => [key, value]);
}

describe("a call", () => {
  it("is a span with a name and attributes as OpenTelemetry has them for MCP, and no arguments", async () => {
    await (await gateway()).call("say", { word: "confidential" }, { session: "s1", route: "mcp" });
    const [span] = kept.spans;
    expect(kept.spans).toHaveLength(1);
    expect(span).toMatchObject({ name: "tools/call say", kind: SpanKind.SERVER, status: undefined, ends: 1 });
    expect(span?.attributes).toEqual({
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "say",
      "mcp.session.id": "s1",
      "biplane.route": "mcp",
    });
  });

  it("that fails says so by its code, and quotes nothing", async () => {
    const made = await gateway();
    await expect(made.call("fail", { word: "confidential" })).rejects.toThrow("cannot say confidential");
    await expect(made.call("say", { word: 1234 })).rejects.toThrow("word");
    expect(kept.spans.map(({ attributes }) => attributes["error.type"])).toEqual(["EXECUTION_ERROR", "INVALID_INPUT"]);
    for (const { status, ends } of kept.spans) expect([status, ends]).toEqual([{ code: SpanStatusCode.ERROR }, 1]);
    expect(JSON.stringify(kept.spans)).not.toMatch(/confidential|1234/);
  });

  it("of a tool that was made up does not carry its name", async () => {
    await expect((await gateway()).call("invented by the caller")).rejects.toThrow("Unknown tool");
    expect(kept.spans[0]).toMatchObject({ name: "tools/call", attributes: { "error.type": "TOOL_NOT_FOUND" } });
    expect(JSON.stringify(kept.spans)).not.toContain("invented");
  });

  it("that is cancelled ends its span once", async () => {
    const made = await gateway();
    await expect(made.call("where", {}, { signal: AbortSignal.abort() })).rejects.toThrow("cancelled");
    expect(kept.spans[0]).toMatchObject({ ends: 1, attributes: { "error.type": "CANCELLED" } });
  });

  it("that waits for answers says so", async () => {
    const made = await gateway();
    const peer = { canAsk: () => true, ask: () => undefined };
    await expect(made.call("greet", {}, { peer })).rejects.toThrow("asked a question");
    expect(kept.spans[0]).toMatchObject({ status: undefined, attributes: { "biplane.outcome": "suspended" } });
  });

  it("is where the tool's own work belongs", async () => {
    expect(await (await gateway()).call("where")).toMatchObject({ spanId: kept.spans[0]?.spanContext().spanId });
  });

  it("made by another call is a part of it", async () => {
    await (await gateway()).call("outer");
    const [outer, inner] = kept.spans;
    expect(inner).toMatchObject({ name: "tools/call say", kind: SpanKind.INTERNAL });
    expect(inner?.parent).toEqual(outer?.spanContext());
    expect(inner?.attributes["biplane.route"]).toBe("code");
  });

  it("goes on without a span where the tracer breaks", async () => {
    trace.disable();
    const broken = () => {
      throw new Error("broken");
    };
    trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan: broken, startActiveSpan: broken }) });
    expect(await (await gateway()).call("say", { word: "still" })).toBe("still");
    expect(kept.spans).toEqual([]);
  });
});

describe("the trace that a request names", () => {
  const parentOf = async (said: { traceparent: string; tracestate?: string }) => {
    kept.spans.length = 0;
    await (await gateway()).call("say", { word: "x" }, { trace: said });
    return kept.spans[0]?.parent;
  };

  it("is continued", async () => {
    const parent = await parentOf({ traceparent, tracestate: "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE" });
    expect(parent).toMatchObject({ traceId, spanId, traceFlags: 1, isRemote: true });
    expect(parent?.traceState?.serialize()).toBe("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE");
  });

  it("is continued from a later version, of which only what is known counts", async () => {
    expect(await parentOf({ traceparent: `cc-${traceId}-${spanId}-ff-what-the-future-brings` })).toMatchObject({
      traceId,
      spanId,
      traceFlags: 1,
    });
  });

  it.each([
    "",
    "garbage",
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId}-${spanId}-01 `,
    `00-${traceId}-${spanId}-01\n`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId}x-${spanId}-01`,
    `0-${traceId}-${spanId}-01`,
    `cc-${traceId}-${spanId}-01${"-x".repeat(5000)}`,
  ])("is left alone where it is not well formed: %j", async (hostile) => {
    expect(await parentOf({ traceparent: hostile })).toBeUndefined();
  });

  it("a state that is not well formed does not spoil the parent", async () => {
    for (const tracestate of ["a=b=c", "\n\u0000", `k=${"v".repeat(10_000)}`]) {
      const parent = await parentOf({ traceparent, tracestate });
      expect(parent).toMatchObject({ traceId, spanId });
      expect(parent?.traceState?.serialize()).toBe("");
    }
  });

  it("comes before what serves the request, which is linked", async () => {
    const made = await gateway();
    const serving = trace.getTracer("http").startSpan("POST /mcp");
    await context.with(trace.setSpan(context.active(), serving), () =>
      made.call("say", { word: "x" }, { trace: { traceparent }, route: "mcp" }),
    );
    expect(kept.spans[1]?.parent).toMatchObject({ spanId });
    expect(kept.spans[1]?.links).toEqual([{ context: serving.spanContext() }]);
  });

  it("where a request names none, what serves it is the parent", async () => {
    const made = await gateway();
    const serving = trace.getTracer("http").startSpan("POST /mcp");
    await context.with(trace.setSpan(context.active(), serving), () => made.call("say", { word: "x" }));
    expect(kept.spans[1]?.parent).toEqual(serving.spanContext());
    expect(kept.spans[1]?.links).toEqual([]);
  });

  it("comes in a header over REST", async () => {
    await using served = await listen(await gateway());
    await post(served.execute, { tool: "say", arguments: { word: "x" } }, { headers: { traceparent } });
    expect(kept.spans[0]).toMatchObject({ parent: { traceId, spanId }, attributes: { "biplane.route": "execute" } });
  });

  it("baggage goes on only where that is wanted, and only what is well formed", async () => {
    const said = { traceparent, baggage: "user=al%20ice;p=1, bad key=1,other = 2 ,=x,bad=%zz,__proto__=y" };
    expect(await (await gateway()).call("where", {}, { trace: said })).toMatchObject({ baggage: undefined });
    const open = await gateway({ baggage: true });
    expect(await open.call("where", {}, { trace: said })).toMatchObject({
      baggage: [
        ["user", "al ice"],
        ["other", "2"],
        ["__proto__", "y"],
      ],
    });
  });
});
