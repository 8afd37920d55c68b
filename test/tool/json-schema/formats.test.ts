import { describe, expect, it, test } from "vitest";
import { server, tool } from "biplane";
import { compileSchema } from "../../../packages/core/src/tool/json-schema/compile.ts";
import { formats } from "../../../packages/core/src/tool/json-schema/formats.ts";

/** Texts with each format, and texts without it. */
const table: Readonly<Record<string, { fitting: readonly string[]; failing: readonly string[] }>> = {
  "date-time": {
    fitting: ["1963-06-19T08:30:06.283185Z", "1990-12-31t23:59:60z", "1998-12-31T15:59:60.123-08:00"],
    failing: ["1990-02-31T15:59:59Z", "1998-12-31T23:58:60Z", "1963-06-19 08:30:06Z", "1963-06-19", "1963-06-19T08:30"],
  },
  date: { fitting: ["2024-02-29", "2000-02-29"], failing: ["2023-02-29", "1900-02-29", "2024-13-01", "24-01-01"] },
  time: { fitting: ["08:30:06Z", "23:59:60+00:00", "01:29:60+01:30"], failing: ["24:00:00Z", "08:30:06", "12:00:60Z"] },
  duration: { fitting: ["P4DT12H30M5S", "P4Y", "PT0S", "P2W"], failing: ["P", "PT", "P1D2H", "P2WT1H", "4D", "P1YT"] },
  email: {
    fitting: ["joe@example.com", "te.st+1@example.com", '"joe bloggs"@example.com', "joe@[127.0.0.1]"],
    failing: ["2962", ".test@example.com", "te..st@example.com", "joe@", "@example.com", "a@b@[300.0.0.1]"],
  },
  hostname: { fitting: ["www.example.com", "a-1.b"], failing: ["-a.com", "a_b", "", "a..b", `${"a".repeat(64)}.com`] },
  ipv4: {
    fitting: ["192.168.0.1", "0.0.0.0"],
    failing: ["127.0.0", "256.1.1.1", "01.1.1.1", "1.1.1.1.", "0x7f000001"],
  },
  ipv6: { fitting: ["::1", "::", "1::d6:192.168.0.1"], failing: ["12345::", "1:2", "fe80::a%eth1", "::1/64", " ::1"] },
  uri: {
    fitting: ["http://foo.bar/?q=a%20b#x", "urn:isbn:0451450523", "tel:+1-816-555-1212", "ldap://[2001:db8::7]/c=GB"],
    failing: ["//foo.bar/x", "/abc", "http:// x", "http://a.b?x={1}", "bar,baz:foo", "http://[::1", "%:x"],
  },
  "uri-reference": { fitting: ["/abc", "#frag", "", "//a.b/c?d"], failing: ["\\\\host\\share", "#frag\\", "a b"] },
  iri: { fitting: ["http://ƒøø.ßår/?∂éœ=πîx#πîüx"], failing: ["/abc", "http://2001:0db8:85a3::7334"] },
  "iri-reference": { fitting: ["/âππ", "#ƒrägmênt"], failing: ["\\\\WINDOWS\\filëßåré"] },
  "uri-template": {
    fitting: ["http://e.com/{a}/{b:3,c*}{?q}"],
    failing: ["http://e.com/{a", "{a,,b}", "{v:0}", "a b"],
  },
  uuid: {
    fitting: ["2EB8AA08-aa98-11EA-b4aa-73b441d16380"],
    failing: ["2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08"],
  },
  regex: { fitting: ["([abc])+\\s+$"], failing: ["^(abc]", "\\a"] },
  "json-pointer": { fitting: ["", "/a/b~0~1", "/"], failing: ["a", "/a~", "/~2", "#/a"] },
  "relative-json-pointer": { fitting: ["1", "0/a", "2#"], failing: ["/a", "01", "-1/a", "1##"] },
};

describe.each(Object.entries(table))("the format %s", (format, { fitting, failing }) => {
  const check = compileSchema({ format }, { checkFormats: true });

  it("accepts what has it, and everything that is no text", () => {
    expect([...fitting, 7, null, {}].filter((value) => check(value) !== undefined)).toEqual([]);
  });

  it("refuses what has not", () => {
    expect(failing.filter((value) => check(value) === undefined)).toEqual([]);
  });

  it("is only an annotation unless it is asked for", () => {
    expect(failing.filter((value) => compileSchema({ format })(value) !== undefined)).toEqual([]);
  });

  it("is tested in linear time", () => {
    const started = performance.now();
    for (const part of ["a", ".", "0", "-", ":", "/", "%20", "{a}", "@", '"', "\\", "[", "é", "~0", "1:"])
      check(part.repeat(50_000));
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

test("every format is in the table", () => {
  expect([...formats.keys()].sort()).toEqual(Object.keys(table).sort());
});

test("an unknown format is an annotation", () => {
  expect(compileSchema({ format: "phone" }, { checkFormats: true })("x")).toBeUndefined();
});

test("a tool checks formats if it says so, in arguments and in results", async () => {
  const input = { type: "object", properties: { to: { type: "string", format: "email" } }, required: ["to"] } as const;
  const output = { type: "object", properties: { at: { type: "string", format: "date" } }, required: ["at"] } as const;
  const run = ({ to }: { to: string }) => ({ at: to.startsWith("ada") ? "2024-01-01" : "yesterday" });
  await using gateway = server({
    name: "post",
    version: "1",
    tools: { strict: tool({ input, output, checkFormats: true, run }), lax: tool({ input, output, run }) },
  });
  expect(await gateway.call("strict", { to: "ada@example.com" })).toEqual({ at: "2024-01-01" });
  await expect(gateway.call("strict", { to: "ada" })).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: "Invalid arguments for strict: /to must be a valid email",
  });
  await expect(gateway.call("strict", { to: "bob@example.com" })).rejects.toMatchObject({
    code: "EXECUTION_ERROR",
    message: expect.stringContaining("/at must be a valid date") as string,
  });
  expect(await gateway.call("lax", { to: "nobody" })).toEqual({ at: "yesterday" });
});
