import { app, server, tool } from "biplane";
import { connect } from "biplane/client";
import { z } from "zod";

const colour = z.string().regex(/^#[0-9a-f]{6}$/);
const mix = tool({
  name: "colours_mix",
  description: "Mix two colours, such as #ff0000 and #0000ff",
  input: z.object({ first: colour, second: colour }),
  output: z.object({ mixed: colour }),
  ui: app({ entry: new URL("./app/colours.js", import.meta.url), title: "Colours" }),
  run: ({ first, second }) => {
    const parts = [1, 3, 5].map((at) => [first, second].map((each) => parseInt(each.slice(at, at + 2), 16)));
    const mixed = parts.map(([one = 0, other = 0]) =>
      Math.round((one + other) / 2)
        .toString(16)
        .padStart(2, "0"),
    );
    return { mixed: `#${mixed.join("")}` };
  },
});
const paints = server({ name: "paints", version: "1.0.0", tools: [mix] });

// Only a client that supports apps sees the page. Other clients get the tool and its text result.
const host = await connect(paints, { apps: true });
const plain = await connect(paints);
for (const client of [host, plain]) {
  const [{ _meta: meta = {} } = {}] = await client.listTools();
  console.log(String(meta["ui/resourceUri"]).replace(/@.*/, ""));
}

// When the tool is called, a host reads the page, shows it, and passes the result to it.
const { uri = "" } = (await host.listResources()).find((each) => each.uri.startsWith("ui://colours@")) ?? {};
const [page] = (await host.readResource(uri)).contents;
console.log(page?.mimeType, String(page?.text).includes("colours_mix"));
const { structuredContent } = await host.callTool("colours_mix", { first: "#ff0000", second: "#0000ff" });
console.log(JSON.stringify(structuredContent));

await host.close();
await plain.close();
await paints.close();

// prints:
// ui://colours
// undefined
// text/html;profile=mcp-app true
// {"mixed":"#800080"}
