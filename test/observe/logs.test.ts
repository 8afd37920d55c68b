import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../packages/core/src/call/redact/redactor.ts";
import { createLogger } from "../../packages/biplane/src/observe/logs.ts";
import type { LoggerOptions } from "../../packages/biplane/src/observe/logs.ts";
import { runs } from "../support/runs.ts";
import { anyCharacter } from "../support/any-character.ts";

const now = () => new Date("2026-01-02T03:04:05.678Z");
const esc = "\u001b";

function logger(options: LoggerOptions = {}) {
  const lines: string[] = [];
  return { lines, log: createLogger({ level: "debug", now, write: (line) => lines.push(line), ...options }) };
}

describe("a pretty line", () => {
  it("says when, how grave, who and what", () => {
    const { lines, log } = logger({ component: "mcp" });
    log.debug("received request", { method: "tools/list", id: 1 });
    expect(lines).toEqual(["2026-01-02T03:04:05Z DEBUG mcp: received request method=tools/list id=1\n"]);
  });

  it("leaves out what is undefined, and quotes what is not plain", () => {
    const { lines, log } = logger();
    log.info("x", { a: undefined, b: "two words", c: 'say "hi"', d: "", e: "a=b", f: "back\\slash", g: null, h: 1.5 });
    expect(lines[0]).toBe(
      '2026-01-02T03:04:05Z INFO biplane: x b="two words" c="say \\"hi\\"" d="" e="a=b" f="back\\\\slash" g=null h=1.5\n',
    );
  });

  it("shows escapes, line ends and marks of direction instead of obeying them", () => {
    const { lines, log } = logger();
    log.warn(`first\nsecond${esc}[2J`, { tool: `a\r\n${esc}]0;pwned\u0007\u202ecba\u2028\u0085` });
    expect(lines[0]).toBe(
      '2026-01-02T03:04:05Z WARN biplane: first\\nsecond\\u001b[2J tool="a\\r\\n\\u001b]0;pwned\\u0007\\u202ecba\\u2028\\u0085"\n',
    );
  });

  it("has colours when asked, and otherwise none", () => {
    const { lines, log } = logger({ colors: true });
    log.error("broke");
    expect(lines[0]).toBe(`2026-01-02T03:04:05Z ${esc}[31mERROR${esc}[39m biplane: broke\n`);
    const plain = logger();
    plain.log.error("broke");
    expect(plain.lines[0]).not.toContain(esc);
  });
});

describe("a JSON line", () => {
  it("holds the same as data", () => {
    const { lines, log } = logger({ format: "json", component: "mcp" });
    log.debug("received request", { method: "tools/list", id: 1, time: "not this" });
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      time: "2026-01-02T03:04:05.678Z",
      level: "debug",
      component: "mcp",
      message: "received request",
      fields: { method: "tools/list", id: 1, time: "not this" },
    });
  });

  it("is one line of JSON that a terminal takes for text, whatever it holds", () => {
    const { lines, log } = logger({ format: "json" });
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 100 }), (text) => {
        lines.length = 0;
        log.info(text, { text });
        expect(lines).toHaveLength(1);
        expect(lines[0]?.slice(0, -1)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        expect(JSON.parse(lines[0] ?? "")).toMatchObject({ message: text, fields: { text } });
      }),
      runs(300),
    );
  });
});

describe("whatever is logged", () => {
  it("there is one line, and nothing in it but visible characters", () => {
    const { lines, log } = logger();
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        fc.anything(),
        fc.string({ unit: anyCharacter }),
        (text, value, key) => {
          lines.length = 0;
          log.info(text, { [key]: value });
          expect(lines).toHaveLength(1);
          expect(lines[0]?.slice(0, -1)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        },
      ),
      runs(500),
    );
  });

  it("values that cannot be read cost no more than their own text", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const { lines, log } = logger();
    const hostile = {
      toJSON: () => {
        throw new Error("no");
      },
    };
    const silent = { toJSON: () => undefined };
    log.info("odd", { circle, hostile, silent, big: 10n, symbol: Symbol("s"), error: new Error("it broke"), nan: NaN });
    expect(lines[0]).toContain(
      'odd circle=[unprintable] hostile=[unprintable] silent=[nothing] big=10 symbol=Symbol(s) error="it broke" nan=NaN',
    );
  });

  it("long values and messages are cut", () => {
    const { lines, log } = logger();
    log.info("m".repeat(1e6), { tool: "t".repeat(1e6) });
    expect(lines[0]?.length).toBeLessThan(2500);
    expect(lines[0]).toContain(`tool="${"t".repeat(256)}…"`);
  });

  it("a writer or a clock that throws stops nothing", () => {
    const broken = () => {
      throw new Error("full");
    };
    expect(() => createLogger({ write: broken }).error("lost")).not.toThrow();
    expect(() => createLogger({ now: broken, write: () => undefined }).error("lost")).not.toThrow();
  });

  it("secrets are taken out, also of errors, of numbers and where the line is cut", () => {
    const redactor = createRedactor([
      { name: "KEY", value: "hunter2-hunter2" },
      { name: "PIN", value: "1234567890" },
    ]);
    for (const format of ["pretty", "json"] as const) {
      const { lines, log } = logger({ format, redactor: () => redactor });
      const atTheCut = `${"x".repeat(250)}hunter2-hunter2`;
      log.info("key hunter2-hunter2", {
        tool: "hunter2-hunter2",
        error: new Error("bad hunter2-hunter2"),
        deep: { list: ["hunter2-hunter2"] },
        id: 1234567890,
        atTheCut,
      });
      expect(lines[0]).not.toContain("hunter2");
      expect(lines[0]).not.toContain("1234567890");
      expect(lines[0]).toContain("[REDACTED:KEY]");
      expect(lines[0]).toContain("[REDACTED:PIN]");
    }
  });
});

describe("levels and names", () => {
  it("lines below the level are not written", () => {
    const { lines, log } = logger({ level: "warn" });
    for (const level of ["debug", "info", "warn", "error"] as const) log[level](level);
    expect(lines.map((line) => line.split(" ")[1])).toEqual(["WARN", "ERROR"]);
    expect([log.isOn("info"), log.isOn("warn")]).toEqual([false, true]);
  });

  it("another component writes to the same log under its own name", () => {
    const { lines, log } = logger({ level: "info" });
    const other = log.named("admin");
    other.info("here");
    other.debug("not here");
    expect(lines).toEqual(["2026-01-02T03:04:05Z INFO admin: here\n"]);
  });
});
