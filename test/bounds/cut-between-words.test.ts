import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cutBetweenWords } from "@biplane/core/internal";
import { connect } from "biplane/client";
import { afterEach, expect, test } from "vitest";

const key = "sk-live-5f2b8c0d9e1a4d7b";
const running = createServer();

afterEach(() => running.close());

test("a text is cut between words, and marked", () => {
  expect(cutBetweenWords("one two three", 13)).toBe("one two three");
  expect(cutBetweenWords("one two three", 12)).toBe("one two…");
  expect(cutBetweenWords("one two three", 7)).toBe("one two…");
  expect(cutBetweenWords('{"key":"abcdef"}', 12)).toBe('{"key":…');
  expect(cutBetweenWords("abcdef", 3)).toBe("…");
});

test("wherever a server repeats a key in an error, no part of it is left at the cut", async () => {
  let before = 0;
  running.on("request", (request, response) => {
    response.writeHead(500).end(`${"-".repeat(before)} ${request.headers.authorization} and more`.padEnd(400, "."));
  });
  await new Promise<void>((resolve) => running.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(running.address() as AddressInfo).port}/mcp`;
  for (before = 160; before < 200; before += 3) {
    const said = await connect(url, { headers: { authorization: `Bearer ${key}` } }).then(
      () => "connected",
      (error: unknown) => String(error),
    );
    expect(said).toContain("status 500");
    expect(said.replaceAll(key, "")).not.toContain(key.slice(0, 6));
  }
});
