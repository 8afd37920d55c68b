// A server whose connections are counted. The tool `change` changes the list of tools, of which every event stream is notified.
import { server, tool } from "biplane";
import { ready } from "../mcp/servers/control.mjs";

const number = { type: "number" };
const input = { type: "object", properties: { a: number, b: number }, required: ["a", "b"] };
const add = tool({ name: "add", input, run: ({ a, b }) => ({ sum: a + b }) });
const other = tool({ name: "other", run: () => "other" });
const change = tool({
  name: "change",
  run: () => {
    if (!app.remove(other)) app.add(other);
    return "changed";
  },
});
const app = server({ name: "growth", version: "1.0.0", tools: [add, change] });

// One caller can hold a tenth of the sessions.
const { url } = await app.serve({ url: "http://127.0.0.1:0", maxSessions: 60_000 });
ready(Number(new URL(url).port));
