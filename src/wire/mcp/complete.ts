import { completeArgument } from "../../server/readers.ts";
import type { CompletionTarget } from "../../server/readers.ts";
import { encodeStructured, invalidParams, perform } from "./call-tool.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { Params } from "../../protocol/rpc.ts";

/** `completion/complete`: suggestions for an argument of a prompt or a resource template. */
export function complete(endpoint: Endpoint, exchange: Exchange): Answer | Promise<Answer> {
  const { ref, argument, context } = exchange.params;
  if (!isObject(ref) || !isObject(argument)) return invalidParams("ref and argument are needed");
  const { name, value } = argument;
  if (typeof name !== "string" || typeof value !== "string") return invalidParams("argument needs a name and a value");
  const target = targetOf(endpoint, ref);
  if (!target) return invalidParams(`nothing is known as ${JSON.stringify(ref["name"] ?? ref["uri"])}`);
  const others = isObject(context) && isObject(context["arguments"]) ? strings(context["arguments"]) : {};
  return perform(
    endpoint,
    exchange,
    completeArgument,
    { ref: target, argument: { name, value }, others },
    encodeStructured,
  );
}

function targetOf({ server }: Endpoint, { type, name, uri }: Params): CompletionTarget | undefined {
  if (type === "ref/prompt" && typeof name === "string") return server.findPrompt(name) && { prompt: name };
  if (type === "ref/resource" && typeof uri === "string")
    return server.catalog.resources.has(uri) ? { template: uri } : undefined;
  return undefined;
}

function strings(record: Params): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])),
  );
}
