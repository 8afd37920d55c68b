import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  badRequest,
  call,
  converse,
  converseUntilClosed,
  difference,
  openTwins,
  order,
  post,
  responsesIn,
} from "./twin.ts";
import type { Twins } from "./twin.ts";

let twins: Twins;
beforeAll(async () => {
  twins = await openTwins();
});
afterAll(() => twins[Symbol.asyncDispose]());

type Conversation = readonly (string | Buffer)[];

/** Sends the same to both servers, and says where they do not answer the same or do not run the same calls. */
async function differencesIn(conversations: readonly Conversation[], answers: string[] = []): Promise<string[]> {
  const { lane, node } = twins;
  lane.ran.length = 0;
  node.ran.length = 0;
  const found = await Promise.all(
    conversations.map(async (parts) => {
      const bytes = parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part));
      const [ours, theirs] = await Promise.all([converse(lane.port, bytes), converse(node.port, bytes)]);
      answers.push(ours);
      return difference(ours, theirs) ?? [];
    }),
  );
  const [ran, ranToo] = [lane.ran, node.ran].map((inputs) => inputs.map(textOf).toSorted().join());
  return ran === ranToo ? found.flat() : [...found.flat(), `ran ${ran} and ${ranToo}`];
}

const textOf = (input: unknown) => JSON.stringify(input);

/** What both servers answer. */
async function answerTo(parts: Conversation): Promise<string> {
  const answers: string[] = [];
  expect(await differencesIn([parts], answers)).toEqual([]);
  return answers.join();
}

const next = post({ body: call("next") });
const hidden = post({ body: call("hidden") });

describe("requests that proxies and servers have disagreed about", () => {
  const body = call("hello");
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const lines = (...fields: string[]) => `POST /mcp HTTP/1.1\r\n${fields.map((field) => `${field}\r\n`).join("")}\r\n`;
  const host = "Host: 127.0.0.1";
  const type = "Content-Type: application/json";
  const length = `Content-Length: ${body.length}`;
  const cases: Record<string, string> = {
    "both lengths (CL.TE)": `${lines(host, type, length, "Transfer-Encoding: chunked")}${chunked}`,
    "both lengths (TE.CL)": `${lines(host, type, "Transfer-Encoding: chunked", length)}${chunked}`,
    "a chunked body": `${lines(host, type, "Transfer-Encoding: chunked")}${chunked}`,
    "an unknown transfer coding": `${lines(host, type, "Transfer-Encoding: xchunked", length)}${body}`,
    "a transfer coding in odd case": `${lines(host, type, "tRANSFER-eNCODING: CHUNKED")}${chunked}`,
    "identity as transfer coding": `${lines(host, type, "Transfer-Encoding: identity", length)}${body}`,
    "a transfer coding after a tab": `${lines(host, type, length, "Transfer-Encoding:\tchunked")}${chunked}`,
    "a transfer coding with a space before the colon": `${lines(host, type, length, "Transfer-Encoding : chunked")}${chunked}`,
    "a transfer coding after a bare line feed": `${lines(host, type, length, "X: y\nTransfer-Encoding: chunked")}${chunked}`,
    "a transfer coding after a bare carriage return": `${lines(host, type, length, "X: y\rTransfer-Encoding: chunked")}${chunked}`,
    "a transfer coding in a folded line": `${lines(host, type, length, "X: y\r\n Transfer-Encoding: chunked")}${body}`,
    "two equal lengths": `${lines(host, type, length, length)}${body}`,
    "two different lengths": `${lines(host, type, length, "Content-Length: 0")}${body}`,
    "two lengths in one field": `${lines(host, type, `${length}, ${body.length}`)}${body}`,
    "a length with a sign": `${lines(host, type, `Content-Length: +${body.length}`)}${body}`,
    "a negative length": `${lines(host, type, `Content-Length: -${body.length}`)}${body}`,
    "a length with zeros in front": `${lines(host, type, `Content-Length: 00${body.length}`)}${body}`,
    "a hexadecimal length": `${lines(host, type, `Content-Length: 0x${body.length.toString(16)}`)}${body}`,
    "a length with spaces": `${lines(host, type, `Content-Length:   ${body.length}  `)}${body}`,
    "a length with a space within": `${lines(host, type, "Content-Length: 1 0")}${body}`,
    "a length with an exponent": `${lines(host, type, "Content-Length: 1e2")}${body}`,
    "an empty length": `${lines(host, type, "Content-Length: ")}${body}`,
    "a length beyond 64 bits": `${lines(host, type, "Content-Length: 99999999999999999999")}${body}`,
    "a length of zero and a hidden request": `${lines(host, type, "Content-Length: 0")}${hidden}`,
    "a length that is too short": post({ body, length: String(body.length - 1) }),
    "a length that is too long": post({ body, length: String(body.length + 1) }),
    "a length that hides the next request": post({ body, length: String(body.length + next.length) }),
    "no length": `${lines(host, type)}${body}`,
    "no host": `${lines(type, length)}${body}`,
    "two hosts": `${lines(host, "Host: other.example", type, length)}${body}`,
    "another host": `${lines("Host: other.example", type, length)}${body}`,
    "another origin": `${lines(host, "Origin: https://other.example", type, length)}${body}`,
    "a foreign page": `${lines(host, "Sec-Fetch-Site: cross-site", type, length)}${body}`,
    "bare line feeds": post({ body }).replaceAll("\r\n", "\n"),
    "one bare line feed": post({ body }).replace("\r\n", "\n"),
    "a bare carriage return": post({ body }).replace("\r\n", "\r"),
    "a line feed at the end of the head": post({ body }).replace("\r\n\r\n", "\n\n"),
    "a NUL in a name": `${lines(host, type, length, "X\0Y: z")}${body}`,
    "a NUL in a value": `${lines(host, type, length, "X: y\0z")}${body}`,
    "a delete character in a value": `${lines(host, type, length, "X: y\x7fz")}${body}`,
    "a byte beyond ASCII in a value": `${lines(host, type, length, "X: y\xffz")}${body}`,
    "a byte beyond ASCII in a name": `${lines(host, type, length, "X\xff: y")}${body}`,
    "a folded line": `${lines(host, type, length, "X: y", " z: 1")}${body}`,
    "a first line that is folded": `POST /mcp HTTP/1.1\r\n ${host}\r\n${length}\r\n\r\n${body}`,
    "a name that ends with a space": `${lines(host, type, length, "X : y")}${body}`,
    "a line without a colon": `${lines(host, type, length, "X")}${body}`,
    "a line without a name": `${lines(host, type, length, ": y")}${body}`,
    "an empty value": `${lines(host, type, length, "X:")}${body}`,
    "no space after the colon": `${lines(host, type, `Content-Length:${body.length}`)}${body}`,
    "Expect: 100-continue": `${lines(host, type, length, "Expect: 100-continue")}${body}`,
    "another expectation": `${lines(host, type, length, "Expect: more")}${body}`,
    "a field that the connection names": `${lines(host, type, length, "Connection: content-length")}${body}`,
    "Connection: close": `${lines(host, type, length, "Connection: close")}${body}`,
    "Connection: keep-alive": `${lines(host, type, length, "Connection: Keep-Alive")}${body}`,
    "a list of connection options": `${lines(host, type, length, "Connection: keep-alive, close")}${body}`,
    "two connection fields": `${lines(host, type, length, "Connection: keep-alive", "Connection: close")}${body}`,
    "Proxy-Connection: close": `${lines(host, type, length, "Proxy-Connection: close")}${body}`,
    "a trailer": `${lines(host, type, length, "Trailer: X")}${body}`,
    "names of Object.prototype": `${lines(host, type, length, "constructor: x", "__proto__: y", "toString: z")}${body}`,
    "HTTP/1.0": post({ body }).replace("HTTP/1.1", "HTTP/1.0"),
    "HTTP/2.0": post({ body }).replace("HTTP/1.1", "HTTP/2.0"),
    "HTTP/0.9": `POST /mcp\r\n\r\n${body}`,
    "a version in lower case": post({ body }).replace("HTTP/1.1", "http/1.1"),
    "a method in lower case": post({ body }).replace("POST", "post"),
    "another method": post({ body }).replace("POST", "PUT"),
    "GET with a body": post({ body }).replace("POST", "GET"),
    "an absolute target": post({ path: "http://127.0.0.1/mcp", body }),
    "a target with a query": post({ path: "/mcp?x=1", body }),
    "a target with a fragment": post({ path: "/mcp#x", body }),
    "an encoded target": post({ path: "/%6dcp", body }),
    "a target with dots": post({ path: "/x/../mcp", body }),
    "a target with two slashes": post({ path: "//mcp", body }),
    "a target with a space": post({ path: "/mc p", body }),
    "an unknown target": post({ path: "/unknown", body }),
    "a token in the target": post({ path: "/k/secret/mcp", body }),
    "two spaces after the method": post({ body }).replace("POST ", "POST  "),
    "a tab after the method": post({ body }).replace("POST ", "POST\t"),
    "a space at the end of the first line": post({ body }).replace("HTTP/1.1", "HTTP/1.1 "),
    "empty lines in front": `\r\n\r\n${post({ body })}`,
    "a space in front": ` ${post({ body })}`,
    "a first line of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a first flight of TLS": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "a long header": post({ body, headers: { "X-Long": "x".repeat(9000) } }),
    "headers above the limit of Node": post({ body, headers: { "X-Long": "x".repeat(20_000) } }),
    "many headers": post({
      body,
      headers: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`X-${at}`, "y"])),
    }),
    "another content type": post({ body, headers: { "Content-Type": "text/plain" } }),
    "a body that is not JSON": post({ body: "{" }),
    "a body that is not UTF-8": post({ body: '{"\xff":1}', length: "7" }),
    "a body above maxBodyBytes": post({ body: call("x".repeat(5000)) }),
    "a body above the limit of the lane": post({ body: call("x".repeat(70_000)) }),
    "a notification": post({ body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }) }),
    "an unknown session": post({ body, headers: { "Mcp-Session-Id": "none" } }),
    "an unknown version": post({ body, headers: { "MCP-Protocol-Version": "1999-01-01" } }),
    "an unknown method of MCP": post({ body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x" }) }),
    "a batch": post({ body: `[${body}]` }),
    "an order over REST": post({ path: "/mcp/execute", body: order("hello") }),
    "a bad order over REST": post({ path: "/mcp/execute", body: "{}" }),
  };

  test.each(Object.entries(cases))("%s", async (_, request) => {
    const ways = [[request], [request, next], [request + next], [next, request], [next + request + next]];
    for (const parts of ways) expect(await differencesIn([parts])).toEqual([]);
  });

  test("an upgrade that is ignored", async () => {
    const request = `${lines(host, type, length, "Connection: Upgrade", "Upgrade: h2c")}${body}`;
    for (const parts of [
      [request, next],
      [next, request],
    ])
      expect(await differencesIn([parts])).toEqual([]);
  });

  test("a request in two packets, whatever the place", async () => {
    const whole = Buffer.from(post({ body }) + next);
    for (let at = 1; at < whole.length; at += 3)
      expect(responsesIn(await answerTo([whole.subarray(0, at), whole.subarray(at)]))).toHaveLength(2);
  });

  test("a request byte by byte", async () => {
    const bytes = Array.from(Buffer.from(post({ body }) + next), (byte) => Buffer.from([byte]));
    expect(responsesIn(await answerTo(bytes))).toHaveLength(2);
  });

  test("a connection that ends within a request is answered 400", async () => {
    expect(await answerTo([post({ body }).slice(0, -1)])).toBe(badRequest);
  });

  test("several requests in one packet, after which the client ends its side", async () => {
    const all = Array.from({ length: 8 }, (_, at) => post({ body: call(`number ${at}`) }));
    expect(responsesIn(await answerTo([all.join("")]))).toHaveLength(8);
  });

  test("many requests in one packet", async () => {
    const all = Array.from({ length: 30 }, (_, at) => post({ body: call(`number ${at}`) }));
    const last = post({ body: call("last"), headers: { Connection: "close" } });
    const answers = await Promise.all(
      [twins.lane, twins.node].map(({ port }) => converseUntilClosed(port, all.join("") + last)),
    );
    for (const text of answers)
      expect(Array.from(text.matchAll(/number \d+|last/g), ([found]) => found)).toEqual([
        ...all.map((_, at) => `number ${at}`),
        "last",
      ]);
  });
});

describe("random requests", () => {
  const small = fc.integer({ min: 0, max: 600 });
  const bytes = fc.constantFrom(
    "\r",
    "\n",
    "\r\n",
    "\0",
    " ",
    "\t",
    ":",
    ",",
    ";",
    "\x7f",
    "\x80",
    "\xff",
    "0",
    "-",
    "+",
  );
  const fields = fc.constantFrom(
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: identity",
    "transfer-encoding:chunked",
    "Content-Length: 5",
    "content-length: 0",
    "Connection: close",
    "Connection: keep-alive",
    "Upgrade: websocket",
    "Expect: 100-continue",
    "Host: 127.0.0.1",
    "Origin: https://other.example",
    "Authorization: Bearer x",
    "Accept: application/json, text/event-stream",
    "MCP-Protocol-Version: 2025-11-25",
    "Mcp-Session-Id: none",
    " folded: line",
    "Cookie: a=b; c=d",
    "X-Empty:",
    "Trailer: x",
  );
  const seed = fc.constantFrom(
    post(),
    post({ path: "/mcp/execute", body: order("rest") }),
    post({ headers: { Accept: "application/json, text/event-stream", "User-Agent": "fuzz/1.0 (x; y)" } }),
    post({ headers: { Connection: "keep-alive", "Accept-Encoding": "gzip, deflate, br" } }),
    post({ body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" }) }),
    post({ body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled" }) }),
    "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
  );
  const change: fc.Arbitrary<(text: string) => string> = fc.oneof(
    fc.tuple(small, bytes).map(
      ([at, text]) =>
        (from: string) =>
          from.slice(0, at) + text + from.slice(at),
    ),
    fc.tuple(small, bytes).map(
      ([at, text]) =>
        (from: string) =>
          from.slice(0, at) + text + from.slice(at + 1),
    ),
    small.map((at) => (from: string) => from.slice(0, at) + from.slice(at + 1)),
    fc.tuple(small, fc.integer({ min: 1, max: 127 })).map(
      ([at, bits]) =>
        (from: string) =>
          flip(from, at, bits),
    ),
    fields.map((field) => (from: string) => from.replace("\r\n", `\r\n${field}\r\n`)),
    fields.map((field) => (from: string) => from.replace("\r\n\r\n", `\r\n${field}\r\n\r\n`)),
    fc.integer({ min: -3, max: 200 }).map((by) => (from: string) => lengthened(from, by)),
    small.map((at) => (from: string) => from.slice(0, at)),
    fc.tuple(small, small).map(
      ([at, length]) =>
        (from: string) =>
          from + from.slice(at, at + length),
    ),
  );
  const request = fc
    .tuple(seed, fc.array(change, { maxLength: 3 }))
    .map(([text, changes]) => changes.reduce((from, apply) => apply(from), text));
  const conversation = fc
    .tuple(
      fc.array(request, { minLength: 1, maxLength: 3 }),
      fc.array(fc.integer({ min: 0, max: 1500 }), { maxLength: 3 }),
    )
    .map(([requests, cuts]) => split(requests.join(""), cuts));

  // Two requests in each conversation on average: a million of them in a soak, in parts that are reported one by one.
  const soak = process.env["BIPLANE_SOAK"] === "1";
  const parts = Array.from({ length: soak ? 20 : 1 }, (_, at) => at + 1);
  const [batches, batchSize] = soak ? [1250, 20] : [75, 20];
  const timeout = soak ? 3_600_000 : 60_000;

  test.each(parts)("both servers answer alike and run the same calls, part %i", { timeout }, async () => {
    const batch = fc.array(conversation, { minLength: batchSize, maxLength: batchSize });
    await fc.assert(
      fc.asyncProperty(batch, async (conversations) => {
        expect(await differencesIn(conversations)).toEqual([]);
      }),
      { numRuns: batches },
    );
  });
});

function flip(text: string, at: number, bits: number): string {
  const code = text.charCodeAt(at % text.length);
  return text.slice(0, at % text.length) + String.fromCharCode(code ^ bits) + text.slice((at % text.length) + 1);
}

function lengthened(text: string, by: number): string {
  return text.replace(/Content-Length: (\d+)/, (_, length) => `Content-Length: ${Number(length) + by}`);
}

function split(text: string, cuts: readonly number[]): Buffer[] {
  const whole = Buffer.from(text, "latin1");
  const places = [0, ...cuts.map((cut) => cut % whole.length).toSorted((a, b) => a - b), whole.length];
  return places
    .slice(1)
    .map((end, at) => whole.subarray(places[at], end))
    .filter(({ length }) => length > 0);
}
