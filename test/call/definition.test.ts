import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BiplaneError, server, tool } from "biplane";
import { listen } from "../support/serving.ts";

const run = () => "done";

/** The error that a definition throws. */
function errorOf(define: () => unknown): BiplaneError {
  try {
    define();
  } catch (error) {
    if (error instanceof BiplaneError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("defining a server", () => {
  it.each(["mcp", "MCP", "Api", "e", "K"])("refuses the name %s, which is part of other paths", (name) => {
    expect(errorOf(() => server({ name })).message).toContain("is reserved");
  });
});

describe("defining a tool", () => {
  it.each(["with space", "a/b", "ümlaut", "new\nline", "x".repeat(129), "tab\t", "a:b"])(
    "refuses the name %j",
    (name) => {
      const error = errorOf(() => tool({ name, run }));
      expect(error).toMatchObject({ code: "INVALID_DEFINITION" });
      expect(error.message).toContain(JSON.stringify(name));
    },
  );

  it.each(["a", "get_customer", "x".repeat(128), "A.b-c_9"])("takes the name %s", (name) => {
    expect(tool({ name, run }).name).toBe(name);
  });

  it("refuses a schema that JSON Schema cannot express, and names the tool and the side", () => {
    const input = errorOf(() => tool({ name: "by_date", input: z.object({ day: z.date() }), run }));
    expect(input.code).toBe("INVALID_DEFINITION");
    expect(input.message).toMatch(/"by_date": input schema:.*JSON Schema/);
    const output = errorOf(() =>
      tool({ name: "by_date", output: z.object({ id: z.bigint() }), run: () => ({ id: 1n }) }),
    );
    expect(output.message).toMatch(/"by_date": output schema:/);
  });

  it.each([
    { type: "object", properties: { a: { type: "strnig" } } },
    { type: "object", properties: { a: { pattern: "(" } } },
    { type: "object", required: "a" },
    { type: "object", properties: { a: { $ref: "#/nowhere" } } },
    { type: "object", properties: [] },
  ])("refuses the mistaken JSON Schema %j and names the tool", (input) => {
    const error = errorOf(() => tool({ name: "mistaken", input, run }));
    expect(error).toMatchObject({
      code: "INVALID_DEFINITION",
      message: expect.stringMatching(/"mistaken": input schema:/),
    });
  });

  it.each([z.string(), z.array(z.string()), { type: "string" }, { type: ["object", "null"] }])(
    "refuses arguments that are not an object: %j",
    (input) => {
      expect(errorOf(() => tool({ name: "scalar", input, run })).message).toMatch(/"scalar".*object/);
    },
  );

  it.each([0, -1, Number.NaN, Infinity, 2 ** 31])("refuses a timeout of %d ms", (timeoutMs) => {
    expect(errorOf(() => tool({ name: "late", timeoutMs, run })).message).toContain("timeoutMs");
  });

  it("refuses a run that is no function", () => {
    expect(errorOf(() => tool({ name: "idle", run: "run" as never })).message).toContain('"idle"');
  });

  it("gives run 30 seconds unless the definition says otherwise", () => {
    expect(tool({ name: "plain", run }).timeoutMs).toBe(30_000);
    expect(tool({ name: "patient", timeoutMs: 5, run }).timeoutMs).toBe(5);
  });

  it("gives a value that is frozen all the way down", () => {
    const frozen = tool({
      name: "frozen",
      input: z.object({ list: z.array(z.object({ a: z.string() })) }),
      output: z.object({ b: z.number() }),
      annotations: { readOnlyHint: true },
      run: () => ({ b: 1 }),
    });
    expect(thawed(frozen)).toEqual([]);
  });

  it("is not touched by later changes of what it was made from", () => {
    const input = { type: "object", properties: { a: { type: "string" } } };
    const made = tool({ name: "kept", input, run });
    input.properties.a.type = "number";
    expect(made.input.json).toMatchObject({ properties: { a: { type: "string" } } });
  });
});

describe("putting tools into a server", () => {
  it("refuses two tools of one name, at the start and later", () => {
    const twice = [tool({ name: "same", run }), tool({ name: "same", run })];
    expect(errorOf(() => server({ name: "s", version: "1", tools: twice })).message).toContain(
      'Two tools are named "same"',
    );
    const gateway = server({ name: "s", version: "1", tools: { same: tool({ run }) } });
    expect(errorOf(() => gateway.add(tool({ name: "same", run }))).code).toBe("INVALID_DEFINITION");
  });

  it("refuses a nameless tool in a list, and a bad key in an object", () => {
    expect(errorOf(() => server({ name: "s", version: "1", tools: [tool({ run })] })).message).toContain(
      "needs a name",
    );
    expect(errorOf(() => server({ name: "s", version: "1", tools: { "a b": tool({ run }) } })).message).toContain(
      '"a b"',
    );
  });

  it("lets two servers hold the same tool under different names", async () => {
    const shared = tool({ run: (_, call) => call.tool });
    const one = server({ name: "one", version: "1", tools: { first: shared } });
    const two = server({ name: "two", version: "1", tools: { second: shared } });
    expect(await one.call("first")).toBe("first");
    expect(await two.call("second")).toBe("second");
    await expect(one.call("second")).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
  });

  it("needs a name", () => {
    expect(errorOf(() => server({ name: "" })).code).toBe("INVALID_DEFINITION");
  });

  it("cannot be asked for a tool that it does not list", async () => {
    const gateway = server({ name: "s", version: "1", tools: { a: tool({ run }) } });
    for (const name of ["resources/read", "prompts/get", "__proto__", "constructor", "", "toString"]) {
      await expect(gateway.call(name, { uri: "x:y", name: "z" })).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
    }
  });
});

describe("GET /mcp/capabilities", () => {
  it("describes the server and each tool, in the RFC's words", async () => {
    const gateway = server({
      name: "shop",
      version: "2.1.0",
      tools: [
        tool({ name: "plain", run }),
        tool({
          name: "full",
          description: "Everything said",
          input: z.object({ id: z.string(), count: z.number().default(1) }),
          output: z.object({ ok: z.boolean() }),
          timeoutMs: 50,
          idempotent: true,
          run: () => ({ ok: true }),
        }),
      ],
    });
    await using served = await listen(gateway);
    const response = await fetch(`${served.base}/mcp/capabilities`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({
      server: "shop",
      version: "2.1.0",
      tools: [
        {
          name: "plain",
          description: null,
          input_schema: { type: "object", properties: {}, additionalProperties: false },
          output_schema: null,
          timeout_ms: 30_000,
          idempotent: false,
        },
        {
          name: "full",
          description: "Everything said",
          input_schema: {
            type: "object",
            properties: { id: { type: "string" }, count: { type: "number", default: 1 } },
            required: ["id"],
            additionalProperties: false,
          },
          output_schema: expect.objectContaining({ type: "object", properties: { ok: { type: "boolean" } } }),
          timeout_ms: 50,
          idempotent: true,
        },
      ],
    });
  });

  it("is only for reading", async () => {
    await using served = await listen(server({ name: "shop", version: "1" }));
    const response = await fetch(`${served.base}/mcp/capabilities`, { method: "POST", body: "{}" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET");
  });
});

/** The paths of all objects in a value that are not frozen. Functions are code, not data. */
function thawed(value: unknown, path = "tool"): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Object.isFrozen(value) ? [] : [path];
  return [...own, ...Object.entries(value).flatMap(([key, inner]) => thawed(inner, `${path}.${key}`))];
}
