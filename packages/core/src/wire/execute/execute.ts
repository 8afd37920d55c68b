import type { HttpMessage, ResponseWriter } from "../../transport/http-message.ts";
import { showValue } from "../../call/rules/show-value.ts";
import { LiveCall } from "../../call/live-call.ts";
import type { Outcome } from "../../call/outcome.ts";
import type { Scope } from "../../call/scope.ts";
import { BiplaneError, messageOf } from "../../errors.ts";
import type { ServerCore } from "../../server/server-core.ts";
import type { Principal } from "../../tool/call.ts";
import { isForModel } from "../../tool/app.ts";
import { isReply } from "../../tool/content.ts";
import type { Tool } from "../../tool/tool.ts";
import { sendJson } from "../../transport/http.ts";
import { agentContext, faultInAgent } from "../agent.ts";
import { parseBody, sendError } from "../http-json.ts";
import { readRequestBody, statusOfUnread } from "../request-body.ts";
import { keyInHeaders, retryMarks } from "../retry-key.ts";
import { traceOf } from "../trace.ts";

/** `GET /mcp/capabilities`: lists the tools. */
export function capabilities(server: ServerCore, response: ResponseWriter): void {
  const { name, version, redactor } = server;
  const tools = Array.from(server.tools).filter(isForModel).map(metadataOf);
  sendJson(response, 200, JSON.stringify({ server: name, version, tools: redactor ? redactor.value(tools) : tools }));
}

function metadataOf({ name, description, input, output, timeoutMs, idempotent }: Tool): object {
  return {
    name,
    description: description ?? null,
    input_schema: input.json,
    output_schema: output?.json ?? null,
    timeout_ms: timeoutMs,
    idempotent,
  };
}

/**
 * `POST /mcp/execute`: `{tool, arguments, agent?}` in, `{result, request_id}` or `{error, message}` out. In an
 * environment, `episode` selects the episode, unless the path does.
 */
export function executeTool(server: ServerCore, options: ExecuteOptions): void {
  const { request, response, principal, maxBodyBytes, scopeOf } = options;
  readRequestBody(request, { maxBytes: maxBodyBytes, principal }, (text) => {
    if (text instanceof BiplaneError) return sendError(response, text, { status: statusOfUnread(text) });
    const order = readRequest(text);
    if (typeof order === "string")
      return sendError(response, new BiplaneError("INVALID_INPUT", order), { redactor: server.redactor });
    const agent = agentContext(order.agent, "unknown");
    const call = new LiveCall({
      tool: order.tool,
      input: order.arguments ?? {},
      route: "execute",
      agent,
      principal,
      trace: traceOf(request.headers),
      ...retryMarks({}, keyInHeaders(request.headers)),
      scope: scopeOf && ((live) => scopeOf(live, order.episode)),
    });
    const outcome = server.perform(call);
    if (!(outcome instanceof Promise)) return answer(response, outcome, agent.requestId);
    response.once("close", () => call.disconnect());
    void outcome.then((late) => answer(response, late, agent.requestId));
  });
}

export interface ExecuteOptions {
  readonly request: HttpMessage;
  readonly response: ResponseWriter;
  readonly principal: Principal;
  readonly maxBodyBytes: number;
  /** In an environment: finds the episode named in the body. Throws if there is none. */
  readonly scopeOf?: ScopeFinder | undefined;
}

/** Finds the episode of a call, which may name one. */
export type ScopeFinder = (call: LiveCall, episode: string | undefined) => Scope | Promise<Scope>;

interface ExecuteRequest {
  readonly tool: string;
  readonly arguments?: unknown;
  readonly agent?: unknown;
  readonly episode?: string;
}

/** Returns the request, or a message that says what is wrong with it. */
function readRequest(text: string): ExecuteRequest | string {
  let order: unknown;
  try {
    order = parseBody(text);
  } catch (error) {
    return messageOf(error);
  }
  if (typeof order !== "object" || order === null || Array.isArray(order)) return "The body must be a JSON object.";
  const unknown = Object.keys(order).find((key) => !["tool", "arguments", "agent", "episode"].includes(key));
  if (unknown !== undefined) return `Unknown key ${showValue(unknown)}. Use tool, arguments, agent and episode.`;
  if (!("tool" in order) || typeof order.tool !== "string") return "tool must be a string.";
  if ("episode" in order && typeof order.episode !== "string") return "episode must be a string.";
  const fault = "agent" in order ? faultInAgent(order.agent) : undefined;
  return fault ?? (order as ExecuteRequest);
}

function answer(response: ResponseWriter, outcome: Outcome, requestId: string): void {
  if (outcome.status === "suspended") {
    const message = "The tool asks questions, which this endpoint does not support. Call it over MCP.";
    return sendError(response, new BiplaneError("NOT_SUPPORTED", message));
  }
  if (outcome.status === "failed") return sendError(response, outcome.error);
  const { value } = outcome;
  const result = isReply(value) ? (value.structured ?? { content: value.content }) : (value ?? null);
  let body: string;
  try {
    body = JSON.stringify({ result, request_id: requestId });
  } catch (error) {
    const message = `The result cannot be serialized: ${messageOf(error)}`;
    return sendError(response, new BiplaneError("EXECUTION_ERROR", message));
  }
  sendJson(response, 200, body);
}
