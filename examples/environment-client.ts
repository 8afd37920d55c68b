import { callTool, code, connect, connectEnvironment, listTools } from "biplane/client";
import { codeTool, javascriptEngine } from "biplane/code";
import { gallery } from "biplane/gallery";

// An environment on a port. Everything below also works with the URL of another OpenEnv server.
const lake = gallery["frozen-lake"]();
const engine = javascriptEngine();
codeTool(lake, { engines: [engine] });
const { url } = await lake.serve({ url: "http://127.0.0.1:0" });

// 1. Reset: an episode begins. Trainers choose its seed and config.
const env = await connectEnvironment(url);
const { observation } = await env.reset({ seed: 42, config: { map_name: "4x4" } });
console.log((observation as { position: number }).position);

// 2. Step: an action, and what came of it. A model chooses the actions; here a script does.
const { observation: listed } = await env.step(listTools());
console.log((listed as { tools: { name: string }[] }).tools.map(({ name }) => name).join(", "));
for (const action of ["DOWN", "DOWN", "RIGHT"]) {
  const { reward, done } = await env.step(callTool("lake_move", { action }));
  console.log(action, reward, done);
}

// Code calls tools as functions: many calls in one action.
const branch = await env.fork();
const crossed = await branch.step(code(`for (const action of ["RIGHT", "DOWN", "RIGHT"]) await lake_move({ action })`));
console.log(crossed.calls?.length, crossed.reward, crossed.done, (await env.state()).stepCount);
await branch.close();
await env.close();

// 3. Direct MCP: in production, an agent calls the same tools, without rewards.
const agent = await connect(`${url}/mcp`);
const { content } = await agent.callTool("lake_move", { action: "LEFT" });
console.log(content[0]?.type === "text" && JSON.parse(content[0].text).position);
await agent.close();

await lake.close();
await engine.close();

// prints:
// 0
// lake_move, run_code
// DOWN 0 false
// DOWN 0 false
// RIGHT 0 false
// 3 1 true 3
// 0
