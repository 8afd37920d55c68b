import { isRecord, messageOf } from "@biplane/core/internal";
import { pythonToolText } from "../rollout/python/text.ts";
import type { DomainResult, Domain, DomainCall, FunctionCall, DomainInput } from "./domain.ts";
import { PythonError } from "./python-error.ts";

/** Calls a tool, and synchronizes both sides. A failed call can leave changes behind, as in the reference. */
export function callDomainTool<State>(domain: Domain<State>, state: State, call: DomainCall): DomainResult {
  try {
    const value = runTool(domain, state, call);
    domain.synchronize(state);
    return { content: pythonToolText(value), isError: false };
  } catch (error) {
    const isLoose = error instanceof PythonError ? error.isLoose : true;
    return { content: `Error: ${messageOf(error)}`, isError: true, ...(isLoose && { isLoose }) };
  }
}

/** Calls a tool without synchronizing. Throws if the call fails. */
export function runTool<State>(domain: Domain<State>, state: State, call: DomainCall): unknown {
  const tools = domain.tools[call.requestor];
  const tool = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined;
  if (!tool) throw new PythonError(`Tool '${call.name}' not found.`);
  checkArguments(call.name, tool.parameters, call.arguments);
  return tool.run(state, call.arguments);
}

/** Calls a function that a task names. */
export function runFunction<State>(domain: Domain<State>, state: State, call: FunctionCall): unknown {
  const { env_type: side, func_name: name, arguments: input } = call;
  const functions = domain.functions[side];
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined;
  const value = found ? found(state, input) : runTool(domain, state, { name, arguments: input, requestor: side });
  domain.synchronize(state);
  return value;
}

function checkArguments(name: string, parameters: Readonly<Record<string, object>>, input: DomainInput): void {
  const loose = (message: string) => new PythonError(message, { isLoose: true });
  if (!isRecord(input)) throw loose(`${name} needs an object of arguments.`);
  for (const [parameter, schema] of Object.entries(parameters)) {
    if (input[parameter] === undefined && !("default" in schema))
      throw loose(`${name} needs the argument ${parameter}.`);
  }
  const unknown = Object.keys(input).find((each) => !Object.hasOwn(parameters, each));
  if (unknown !== undefined)
    throw loose(`${name} has no argument ${unknown}. Its arguments: ${Object.keys(parameters).join(", ") || "none"}.`);
}
