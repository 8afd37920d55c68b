import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { FastLane } from "../../../packages/core/src/transport/fast-lane/fast-lane.ts";
import type { LaneHandler, LaneTimes } from "../../../packages/core/src/transport/fast-lane/lane-connection.ts";
import { firstData, open } from "../../support/raw-http.ts";
import { post } from "./twin.ts";

/** A server whose fast lane answers POSTs. `node:http` waits for nothing. */
async function listen(times: Partial<LaneTimes>): Promise<{ port: number } & AsyncDisposable> {
  const http = createServer({ headersTimeout: 1, requestTimeout: 1, connectionsCheckingInterval: 5 });
  const answer: LaneHandler = (_, response) => response.writeHead(200, { "content-length": 4 }).end("lane");
  const lane = new FastLane(http, () => answer, { sweepMs: 5, ...times });
  await once(http.listen(0, "127.0.0.1"), "listening");
  return {
    port: (http.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => close(http, lane),
  };
}

async function close(http: Server, lane: FastLane): Promise<void> {
  lane.closeAllConnections();
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
}

test("an idle connection is closed after the keep-alive time", async () => {
  await using subject = await listen({ idleMs: 10 });
  const socket = await open(subject.port);
  socket.write(post());
  expect(await firstData(socket)).toContain("lane");
  await once(socket.resume(), "close");
});

test("a connection that sends nothing goes to node:http, which limits its time", async () => {
  await using subject = await listen({ silentMs: 10 });
  expect(await firstData(await open(subject.port))).toContain("408 Request Timeout");
});

test.each([5, 60, 150])("a request of which only %i bytes arrive goes to node:http too", async (count) => {
  await using subject = await listen({ partMs: 10 });
  const socket = await open(subject.port);
  socket.write(post().slice(0, count));
  expect(await firstData(socket)).toContain("408 Request Timeout");
});
