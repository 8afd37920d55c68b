// The server to mount or call directly.
import { server, tool } from "biplane";
import { ready } from "../mcp/servers/control.mjs";

const add = tool({
  name: "add",
  input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  run: ({ a, b }) => ({ sum: a + b }),
});
const { url } = await server({ name: "upstream", version: "1.0.0", tools: [add], limits: false }).serve(
  "http://127.0.0.1:0",
);
ready(Number(new URL(url).port));
