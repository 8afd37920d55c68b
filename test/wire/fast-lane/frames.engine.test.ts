import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTwins } from "./twin.ts";
import type { Twins } from "./twin.ts";

let twins: Twins;
beforeAll(async () => {
  twins = await openTwins();
});
afterAll(() => twins[Symbol.asyncDispose]());

const isSoak = process.env["BIPLANE_SOAK"] === "1";

interface Frame {
  readonly first: number;
  readonly payload: Buffer;
  readonly isMasked?: boolean;
  /** How many bytes give the length. The standard asks for as few as possible, and `ws` accepts others. */
  readonly lengthBytes?: 0 | 2 | 8;
}

function bytesOf({ first, payload, isMasked = true, lengthBytes }: Frame): Buffer {
  const size = payload.length;
  const kind = lengthBytes ?? (size < 126 ? 0 : size < 65_536 ? 2 : 8);
  const length = Buffer.alloc(kind);
  if (kind === 2) length.writeUInt16BE(size);
  if (kind === 8) length.writeBigUInt64BE(BigInt(size));
  const short = kind === 0 ? size : kind === 2 ? 126 : 127;
  const mask = Buffer.from([0x12, 0x00, 0xff, 0x81]);
  const masked = isMasked ? Buffer.concat([mask, payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0))]) : payload;
  return Buffer.concat([Buffer.from([first, short | (isMasked ? 0x80 : 0)]), length, masked]);
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

function call(text: string): Buffer {
  const params = { name: "echo", arguments: { text }, _meta: meta };
  return Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: text.slice(0, 20), method: "tools/call", params }));
}

const text = (words: string): Frame => ({ first: 0x81, payload: call(words) });
const last = "the last one";
const handshake = [
  "GET /mcp HTTP/1.1",
  "Host: 127.0.0.1",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "\r\n",
].join("\r\n");

/** Sends frames in pieces, then a last call. Returns what came back until that is answered or the connection closes. */
async function converse(port: number, frames: readonly Frame[], pieces: readonly number[]): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let received = "";
  const ended = new Promise<void>((resolve) => {
    socket.on("close", () => resolve());
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1");
      if (received.includes(last)) resolve();
    });
  });
  socket.on("error", () => undefined);
  socket.write(handshake);
  await once(socket, "data");
  const bytes = Buffer.concat([...frames, text(last)].map(bytesOf));
  let from = 0;
  for (const size of [...pieces, bytes.length]) {
    if (from < bytes.length && socket.writable) socket.write(bytes.subarray(from, from + size));
    from += size;
    for (let turn = 0; turn < 3; turn++) await nextTurn();
  }
  await ended;
  socket.destroy();
  return received;
}

/** The frames of a server: the messages, and the code of its close frame. It answers only the latest of several pings. */
function framesIn(received: string): { messages: string[]; closed: number | undefined } {
  const bytes = Buffer.from(received.slice(received.indexOf("\r\n\r\n") + 4), "latin1");
  const messages: string[] = [];
  let closed: number | undefined;
  for (let at = 0; at < bytes.length;) {
    const short = bytes[at + 1] ?? 0;
    const from = at + (short < 126 ? 2 : 4);
    const end = from + (short < 126 ? short : bytes.readUInt16BE(at + 2));
    if (bytes[at] === 0x81) messages.push(bytes.toString("utf8", from, end));
    if (bytes[at] === 0x88) closed = end > from ? bytes.readUInt16BE(from) : 1005;
    at = end;
  }
  return { messages, closed };
}

async function expectEqualAnswers(frames: readonly Frame[], pieces: readonly number[] = []): Promise<string> {
  twins.lane.ran.length = 0;
  twins.node.ran.length = 0;
  const [received, receivedToo] = await Promise.all([
    converse(twins.lane.port, frames, pieces),
    converse(twins.node.port, frames, pieces),
  ]);
  const [ours, theirs] = [framesIn(received), framesIn(receivedToo)];
  expect(ours.closed).toBe(theirs.closed);
  // How many calls before a wrong frame are still answered depends on what arrives together.
  const common = ours.closed === undefined ? Infinity : Math.min(ours.messages.length, theirs.messages.length);
  expect(ours.messages.slice(0, common)).toEqual(theirs.messages.slice(0, common));
  if (ours.closed === undefined) expect(twins.lane.ran).toEqual(twins.node.ran);
  return received;
}

const payload = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }).map(call),
  fc.integer({ min: 0, max: 5000 }).map((length) => call("x".repeat(length))),
  fc.uint8Array({ maxLength: 130 }).map((bytes) => Buffer.from(bytes)),
);

const frame: fc.Arbitrary<Frame> = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: "grapheme", maxLength: 200 }).map(text) },
  {
    weight: 2,
    arbitrary: fc.uint8Array({ maxLength: 125 }).map((bytes) => ({ first: 0x89, payload: Buffer.from(bytes) })),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      first: fc.oneof(fc.constantFrom(0x01, 0x00, 0x80, 0x82, 0x8a, 0x88, 0xc1), fc.integer({ min: 0, max: 255 })),
      payload,
      isMasked: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: payload.map((bytes) => ({ first: 0x81, payload: bytes })) },
);

test("frames are answered as `ws` answers them, however they are cut into packets", async () => {
  const pieces = fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 12 });
  const equal = fc.asyncProperty(fc.array(frame, { maxLength: 8 }), pieces, async (frames, sizes) => {
    expect(await expectEqualAnswers(frames, sizes)).toMatch(/^HTTP\/1\.1 101/);
  });
  await fc.assert(equal, { numRuns: isSoak ? 20_000 : 300 });
}, 3_600_000);

test("calls are answered in order around a ping, a long message and one in two frames", async () => {
  const whole = call("in two");
  const answers = await expectEqualAnswers(
    [
      text("first"),
      { first: 0x89, payload: Buffer.from("ping") },
      text("second"),
      text("long ".repeat(300)),
      text("third"),
      { first: 0x01, payload: whole.subarray(0, 30) },
      { first: 0x89, payload: Buffer.from("between") },
      { first: 0x80, payload: whole.subarray(30) },
      text("Grüße 👋"),
    ],
    [5, 1, 1, 200],
  );
  const ran = (twins.lane.ran as { text: string }[]).map((input) => input.text.slice(0, 8).trim());
  expect(ran).toEqual(["first", "second", "long lon", "third", "in two", "Grüße 👋", "the last"]);
  expect(answers).toContain("\x8a");
});

test("nothing is run after a frame that is wrong", async () => {
  const wrong: Readonly<Record<string, Frame>> = {
    "without a mask": { ...text("hidden"), isMasked: false },
    "not UTF-8": { first: 0x81, payload: Buffer.from([0xff, 0xfe]) },
    "too long": text("x".repeat(5000)),
    "a reserved flag": { ...text("hidden"), first: 0xc1 },
    "an unknown opcode": { ...text("hidden"), first: 0x83 },
    "a text inside a message of several frames": { first: 0x01, payload: Buffer.from("{") },
    "a close frame": { first: 0x88, payload: Buffer.from([0x03, 0xe8]) },
  };
  for (const [what, each] of Object.entries(wrong)) {
    await expectEqualAnswers([text("before"), each, text("after")]);
    expect([what, twins.lane.ran]).toEqual([what, [{ text: "before" }]]);
  }
});
