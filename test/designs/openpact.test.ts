import { expect, test } from "vitest";
import { resource, server } from "biplane";

test("-32603 answers a request that breaks inside", async () => {
  const broken = () => {
    throw new Error("out of order");
  };
  await using subject = server({
    name: "broken",
    resources: [resource({ name: "broken", uri: "note://broken", read: broken })],
    onFault: () => undefined,
  });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const body = '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"note://broken"}}';
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/mcp`, { method: "POST", headers, body });
  expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: 1, error: { code: -32603 } });
});
