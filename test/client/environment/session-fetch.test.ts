import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { SessionFetch } from "../../../packages/core/src/client/environment/session-fetch.ts";

test("an answer without end is refused once, and not asked for again", async () => {
  let asked = 0;
  const ended: Promise<void>[] = [];
  const server = createServer((request, response) => {
    asked++;
    ended.push(new Promise((resolve) => response.once("close", resolve)));
    const chunk = Buffer.alloc(256 * 1024, " ");
    const send = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", send);
    request.resume().once("end", send);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const session = new SessionFetch();
  session.takesKeys = true;
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"move"}}';
  await expect(session.fetch(url, { method: "POST", body })).rejects.toThrow("is larger than 4194304 bytes");
  await Promise.all(ended);
  expect(asked).toBe(1);
  server.close();
});
