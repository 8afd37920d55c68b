import { LiveCall } from "../../call/live-call.ts";
import { asBiplaneError } from "../../errors.ts";
import type { Completer } from "../../server/resource.ts";
import { agentContext } from "../agent.ts";
import { invalidParams } from "./call-tool.ts";
import { plainFaultFor } from "./encode.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { Params } from "../../protocol/rpc.ts";

/** `completion/complete`: suggestions for an argument of a prompt or a resource template. */
export async function complete(endpoint: Endpoint, exchange: Exchange): Promise<Answer> {
  const { ref, argument, context } = exchange.params;
  if (!isObject(ref) || !isObject(argument)) return invalidParams("ref and argument are needed");
  const { name, value } = argument;
  if (typeof name !== "string" || typeof value !== "string") return invalidParams("argument needs a name and a value");
  const found = completerFor(endpoint, ref, name);
  if (found === "unknown") return invalidParams(`nothing is known as ${JSON.stringify(ref["name"] ?? ref["uri"])}`);
  const refusal = count(endpoint, exchange);
  if (refusal) return refusal;
  const others = isObject(context) && isObject(context["arguments"]) ? strings(context["arguments"]) : {};
  const all = found ? await found(value, others) : [];
  const values = all.slice(0, 100);
  const { redactor } = endpoint.server;
  const completion = {
    values: redactor ? redactor.value(values) : values,
    total: all.length,
    hasMore: all.length > 100,
  };
  return { result: endpoint.encoder.result(exchange.era, { completion }) };
}

/** Each may be a request to another server. */
function count({ server }: Endpoint, { principal, client, session, era }: Exchange): Answer | undefined {
  const agent = agentContext(undefined, client.name);
  const request = {
    tool: "completion/complete",
    input: {},
    route: "mcp",
    agent,
    principal,
    session: session?.id,
  } as const;
  try {
    server.limits?.count(new LiveCall(request), server.mode);
  } catch (error) {
    return { fault: plainFaultFor(era, asBiplaneError(error)) };
  }
}

function completerFor(endpoint: Endpoint, ref: Params, argument: string): Completer | undefined | "unknown" {
  if (ref["type"] === "ref/prompt" && typeof ref["name"] === "string") {
    const prompt = endpoint.server.findPrompt(ref["name"]);
    return prompt ? own(prompt.arguments, argument)?.complete : "unknown";
  }
  if (ref["type"] === "ref/resource" && typeof ref["uri"] === "string") {
    for (const resource of endpoint.server.resources) {
      if ((resource.template?.text ?? resource.uri) === ref["uri"]) return own(resource.complete, argument);
    }
  }
  return "unknown";
}

function strings(record: Params): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])),
  );
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
