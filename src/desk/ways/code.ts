import { LiveCall } from "../../call/live-call.ts";
import type { CodeEngine } from "../../code/engine.ts";
import type { Tool } from "../../tool/tool.ts";
import type { Spoken, WayOrder } from "./way.ts";

/** A line of agent code in which the tool is a function. */
export async function overCode(engine: CodeEngine, order: WayOrder): Promise<Spoken> {
  const { server, tool, input, agent, principal, episode } = order;
  const [{ runAction }, { defaultCodeLimits }] = await Promise.all([
    import("../../code/action.ts"),
    import("../../code/limits.ts"),
  ]);
  await using context = await engine.open({ tools: aloneOf(tool) });
  // It stands for the action, of which the call is a part; it does not take the path itself.
  const outer = new LiveCall({ tool: "run_code", input: {}, route: "people", agent, principal, patienceMs: 0 });
  outer.scope = episode;
  const code = codeFor(order);
  const report = await runAction(context, code, {
    outer,
    wallMs: defaultCodeLimits.wallMs,
    perform: (call) => server.perform(call),
    report: (fault) => server.report(fault, "code of the page"),
  });
  // A secret that is escaped twice over is found in the input, and no longer in the text.
  const shown = codeFor({ ...order, input: server.redactor?.value(input) ?? input });
  return { sent: { body: shown }, received: { body: report } };
}

/** The same list for the same tool: engines prepare themselves for a list once. */
const lists = new WeakMap<Tool, readonly Tool[]>();

function aloneOf(tool: Tool): readonly Tool[] {
  const known = lists.get(tool) ?? [tool];
  lists.set(tool, known);
  return known;
}

function codeFor({ tool, input }: WayOrder): string {
  const callee = /^[A-Za-z_]\w*$/.test(tool.name) ? tool.name : `tools[${JSON.stringify(tool.name)}]`;
  const json = JSON.stringify(input, null, 2);
  // In a literal that key would mean something else.
  const given = json.includes('"__proto__"') ? `JSON.parse(${JSON.stringify(json)})` : json;
  return `await ${callee}(${given})`;
}
