import { completeArgument } from "../../server/readers.ts";
import { showValue } from "../../call/rules/show-value.ts";
import type { CompletionTarget } from "../../server/readers.ts";
import { encodeStructured, invalidParams, performCall } from "./call-tool.ts";
import type { Endpoint } from "./endpoint.ts";
import type { McpAnswer, Exchange } from "./exchange.ts";
import type { Params } from "../../protocol/rpc.ts";
import { isRecord } from "../../is-record.ts";

/** `completion/complete`: suggestions for an argument of a prompt or a resource template. */
export function answerCompletion(endpoint: Endpoint, exchange: Exchange): McpAnswer | Promise<McpAnswer> {
  const { ref, argument, context } = exchange.params;
  if (!isRecord(ref) || !isRecord(argument)) return invalidParams("ref and argument are required");
  const { name, value } = argument;
  if (typeof name !== "string" || typeof value !== "string") return invalidParams("argument needs a name and a value");
  const target = targetOf(endpoint, ref);
  if (!target) return invalidParams(`unknown prompt or resource template ${showValue(ref["name"] ?? ref["uri"])}`);
  const others = isRecord(context) && isRecord(context["arguments"]) ? strings(context["arguments"]) : {};
  const input = { ref: target, argument: { name, value }, others };
  return performCall(endpoint, exchange, { tool: completeArgument, input, encode: encodeStructured });
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
