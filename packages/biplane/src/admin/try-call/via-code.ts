import { LiveCall } from "@biplane/core/internal";
import type { CodeEngine } from "../../code/engine.ts";
import type { Tool } from "@biplane/core";
import type { WireExchange, ViaRequest } from "./via.ts";

/** Calls the tool as a function from one line of agent code. */
export async function overCode(engine: CodeEngine, request: ViaRequest): Promise<WireExchange> {
  const { server, tool, input, agent, principal, episode } = request;
  const [{ runAction }, { defaultCodeLimits }] = await Promise.all([
    import("../../code/action.ts"),
    import("../../code/limits.ts"),
  ]);
  await using context = await engine.open({ tools: listOf(tool) });
  // The parent of the call. It does not take the call path itself.
  const outer = new LiveCall({ tool: "run_code", input: {}, route: "people", agent, principal, patienceMs: 0 });
  outer.scope = episode;
  const code = codeFor(request);
  const report = await runAction(context, code, {
    outer,
    wallMs: defaultCodeLimits.wallMs,
    perform: (call) => server.perform(call),
    find: () => tool,
    report: (fault) => server.report(fault, "code of the page"),
  });
  // Redact the input, not the code: a secret that is escaped twice is not found in the text.
  const shown = codeFor({ ...request, input: server.redactor?.value(input) ?? input });
  return { sent: { body: shown }, received: { body: report } };
}

/** Engines prepare once per list, so reuse the list of a tool. */
const lists = new WeakMap<Tool, readonly Tool[]>();

function listOf(tool: Tool): readonly Tool[] {
  const known = lists.get(tool) ?? [tool];
  lists.set(tool, known);
  return known;
}

function codeFor({ tool, input }: ViaRequest): string {
  const callee = /^[A-Za-z_]\w*$/.test(tool.name) ? tool.name : `tools[${JSON.stringify(tool.name)}]`;
  const json = JSON.stringify(input, null, 2);
  // In an object literal, `__proto__` would set the prototype.
  const given = json.includes('"__proto__"') ? `JSON.parse(${JSON.stringify(json)})` : json;
  return `await ${callee}(${given})`;
}
