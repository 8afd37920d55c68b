import type { IncomingMessage, ServerResponse } from "node:http";
import { LiveCall } from "../../call/live-call.ts";
import type { Outcome } from "../../call/outcome.ts";
import type { Scope } from "../../call/scope.ts";
import { messageOf } from "../../errors.ts";
import type { ErrorCode } from "../../errors.ts";
import type { Server } from "../../server/server.ts";
import type { Principal } from "../../tool/call.ts";
import { isForModel } from "../../tool/app.ts";
import { isReply } from "../../tool/content.ts";
import { metadataOf } from "../../tool/metadata.ts";
import { readBody, sendJson } from "../../transport/http.ts";
import { agentContext } from "../agent.ts";
import { statusOf } from "../http-json.ts";
import { traceOf } from "../trace.ts";
import { nestsTooDeep } from "../../protocol/nesting.ts";

/** `GET /mcp/capabilities`: what can be called. */
export function capabilities(server: Server, response: ServerResponse): void {
  const { name, version, redactor } = server;
  const tools = Array.from(server.tools).filter(isForModel).map(metadataOf);
  sendJson(response, 200, JSON.stringify({ server: name, version, tools: redactor ? redactor.value(tools) : tools }));
}

/**
 * `POST /mcp/execute`: `{tool, arguments, agent?}` in, `{result, request_id}` or `{error, message}` out. In an
 * environment, `episode` says which episode it is a step of, unless the address says so.
 */
export function execute(
  server: Server,
  request: IncomingMessage,
  response: ServerResponse,
  options: ExecuteOptions,
): void {
  readBody(request, options.maxBodyBytes, (text) => {
    const order = readOrder(text);
    if (typeof order === "string") return refuse(response, text === undefined ? 413 : 400, "INVALID_INPUT", order);
    const agent = agentContext(order.agent, "unknown");
    const call = new LiveCall({
      tool: order.tool,
      input: order.arguments ?? {},
      route: "execute",
      agent,
      principal: options.principal,
      trace: traceOf(request.headers),
      scope: options.scopeOf && (() => (options.scopeOf as ScopeFinder)(order.episode)),
    });
    const outcome = server.perform(call);
    if (!(outcome instanceof Promise)) return answer(response, outcome, agent.requestId);
    response.once("close", () => call.cancel());
    void outcome.then((late) => answer(response, late, agent.requestId));
  });
}

export interface ExecuteOptions {
  readonly principal: Principal;
  readonly maxBodyBytes: number;
  /** In an environment: finds the episode, given what the order says. Throws where there is none. */
  readonly scopeOf?: ScopeFinder | undefined;
}

type ScopeFinder = (episode: string | undefined) => Scope | Promise<Scope>;

interface Order {
  readonly tool: string;
  readonly arguments?: unknown;
  readonly agent?: unknown;
  readonly episode?: string;
}

/** The order, or what is wrong with it. */
function readOrder(text: string | undefined): Order | string {
  if (text === undefined) return "The body is too large";
  if (nestsTooDeep(text)) return "The body nests too deep";
  let order: unknown;
  try {
    order = JSON.parse(text);
  } catch {
    return "The body is not JSON";
  }
  if (typeof order !== "object" || order === null || Array.isArray(order)) return "The body must be a JSON object";
  const unknown = Object.keys(order).find((key) => !["tool", "arguments", "agent", "episode"].includes(key));
  if (unknown !== undefined) return `Unknown key ${JSON.stringify(unknown)}; use tool, arguments and agent`;
  if (!("tool" in order) || typeof order.tool !== "string") return "tool must be a string";
  if ("episode" in order && typeof order.episode !== "string") return "episode must be a string";
  return order as Order;
}

function answer(response: ServerResponse, outcome: Outcome, requestId: string): void {
  if (outcome.status === "suspended") {
    return refuse(response, 501, "NOT_SUPPORTED", "The tool asks questions, which this door cannot pass on");
  }
  if (outcome.status === "failed") {
    const { code, message, details } = outcome.error;
    const retryMs = details?.["retryAfterMs"];
    const retry = typeof retryMs === "number" ? { "retry-after": String(Math.ceil(retryMs / 1000)) } : {};
    const approval = details?.["approval"];
    return refuse(response, statusOf[code], code, message, { headers: retry, body: approval ? { approval } : {} });
  }
  const { value } = outcome;
  const result = isReply(value) ? (value.structured ?? { content: value.content }) : (value ?? null);
  let body: string;
  try {
    body = JSON.stringify({ result, request_id: requestId });
  } catch (error) {
    return refuse(response, 500, "EXECUTION_ERROR", `The result cannot be sent: ${messageOf(error)}`);
  }
  sendJson(response, 200, body);
}

function refuse(
  response: ServerResponse,
  status: number,
  error: ErrorCode,
  message: string,
  more: { headers?: Record<string, string>; body?: object } = {},
): void {
  sendJson(response, status, JSON.stringify({ error, message, ...more.body }), more.headers);
}
