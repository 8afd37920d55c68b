import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readChallenge } from "../../packages/core/src/client/auth/challenge.ts";
import { decodeHeader, encodeHeader } from "../../packages/core/src/protocol/header-parameters.ts";
import { EventParser } from "../../packages/core/src/transport/event-source.ts";
import { runs } from "../support/runs.ts";
import { anyCharacter } from "../support/any-character.ts";

test("any text survives the way through a header, which is always one that may be sent", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const header = encodeHeader(text);
      expect(header).toMatch(/^[\x20-\x7e]*$/);
      expect(decodeHeader(new Headers({ "mcp-name": header }).get("mcp-name") ?? undefined)).toBe(text);
    }),
    runs(500),
  );
  expect(encodeHeader("=?base64?literal?=")).toBe("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
});

describe("a stream of events", () => {
  const line = fc.string({ unit: anyCharacter }).map((text) => text.replaceAll(/[\r\n]/g, ""));
  const event = fc.record({ data: fc.array(line, { minLength: 1, maxLength: 3 }), id: fc.option(line.filter(isId)) });

  test("is read the same however it is cut into pieces and its lines are ended", () => {
    const ending = fc.constantFrom("\n", "\r\n", "\r");
    fc.assert(
      fc.property(fc.array(event), ending, fc.array(fc.nat(40)), (events, end, cuts) => {
        const text = events.map((each) => written(each, end)).join("");
        const parser = new EventParser(1_000_000);
        const read = pieces(text, cuts).flatMap((piece) => [...parser.push(piece)]);
        expect(read.map(({ data, id }) => ({ data, id }))).toEqual(
          events.map(({ data, id }) => ({ data: data.join("\n"), id: id ?? undefined })),
        );
      }),
      runs(300),
    );
  });

  test("may hold comments, pauses and names", () => {
    const parser = new EventParser(1000);
    const read = [...parser.push(": hello\n\nevent: endpoint\ndata:/post\n\nretry: 250\nid: 7\ndata\n\n")];
    expect(read).toEqual([
      { event: "endpoint", data: "/post", id: undefined, retryMs: undefined },
      { event: "message", data: "", id: "7", retryMs: 250 },
    ]);
  });

  test("is read up to a limit", () => {
    const parser = new EventParser(100);
    expect(() => [...parser.push(`data: ${"x".repeat(200)}`)]).toThrow("exceeds 100 characters");
  });

  test("ends when it sends data lines without end, even empty ones", () => {
    const parser = new EventParser(100);
    const send = () => [...parser.push("data\n")];
    expect(() => Array.from({ length: 200 }, send)).toThrow("exceeds 100 characters");
  });
});

test("a challenge is found among others, with its values quoted or not", () => {
  const said = 'Basic realm="a, b", Bearer error="insufficient_scope", scope="a b", resource_metadata=https://x/y';
  expect(readChallenge(new Headers({ "www-authenticate": said }))).toEqual({
    scheme: "bearer",
    error: "insufficient_scope",
    scope: "a b",
    resourceMetadata: "https://x/y",
  });
  expect(readChallenge(new Headers({ "www-authenticate": "Negotiate" }))).toBeUndefined();
});

test("no challenge, however odd, breaks its reader", () => {
  const odd = fc.string({ unit: fc.constantFrom(...'bearer DPoP=",\\ scope'.split("")) });
  fc.assert(
    fc.property(odd, (text) => {
      expect(readChallenge(new Headers({ "www-authenticate": `Bearer ${text}` }))).toMatchObject({ scheme: "bearer" });
    }),
    runs(500),
  );
});

function isId(text: string): boolean {
  return text !== "" && !text.includes("\0") && !text.startsWith(" ");
}

function written({ data, id }: { data: string[]; id: string | null }, end: string): string {
  const head = id === null ? "" : `id: ${id}${end}`;
  return `${head}${data.map((each) => `data: ${each}${end}`).join("")}${end}`;
}

function pieces(text: string, cuts: readonly number[]): string[] {
  const found: string[] = [];
  let rest = text;
  for (const cut of cuts) {
    found.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...found, rest];
}
