import { LiveCall } from "../../call/live-call.ts";
import type { Peer } from "../../call/live-call.ts";
import type { Outcome, Suspended } from "../../call/outcome.ts";
import { completeArgument, getPrompt, readResource } from "../../server/readers.ts";
import { isReply } from "../../tool/content.ts";
import { agentContext } from "../agent.ts";
import { retryMarks } from "../retry-key.ts";
import { traceOf } from "../trace.ts";
import { supportsTasks, showsApps } from "./client.ts";
import { plainFaultFor } from "./encode.ts";
import type { Endpoint } from "./endpoint.ts";
import type { McpAnswer, Exchange } from "./exchange.ts";
import { McpPeer } from "./peer.ts";
import { metaKey, rpcCode } from "../../protocol/protocol.ts";
import type { Era } from "../../protocol/protocol.ts";
import { questionRequest } from "./questions.ts";
import type { StateSubject } from "./request-state.ts";
import type { Params } from "../../protocol/rpc.ts";
import { isRecord } from "../../is-record.ts";

/** `tools/call`. */
export function answerToolCall(endpoint: Endpoint, exchange: Exchange): McpAnswer | Promise<McpAnswer> {
  const { name, arguments: input = noArguments } = exchange.params;
  if (typeof name !== "string") return invalidParams("name must be a string");
  if (!isRecord(input)) return invalidParams("arguments must be an object");
  if (supportsTasks(exchange.client) && (endpoint.server.approver || endpoint.server.find(name)?.task)) {
    return endpoint.tasks.call(endpoint, exchange, { tool: name, input });
  }
  return performCall(endpoint, exchange, { tool: name, input, encode: encodeCall });
}

export function readResourceContents(endpoint: Endpoint, exchange: Exchange): McpAnswer | Promise<McpAnswer> {
  const { uri } = exchange.params;
  if (typeof uri !== "string") return invalidParams("uri must be a string");
  if (!endpoint.server.findResource(uri)) return resourceNotFound(exchange, uri);
  return performCall(endpoint, exchange, { tool: readResource, input: { uri }, encode: encodeRead });
}

export function getPromptMessages(endpoint: Endpoint, exchange: Exchange): McpAnswer | Promise<McpAnswer> {
  const { name, arguments: given } = exchange.params;
  if (typeof name !== "string") return invalidParams("name must be a string");
  if (!endpoint.server.findPrompt(name)) return invalidParams(`unknown prompt ${name}`);
  const input = given === undefined ? { name } : { name, arguments: given };
  return performCall(endpoint, exchange, { tool: getPrompt, input, encode: encodeStructured });
}

/** What a request calls: a tool, or one of the built-in tools behind `resources/read` and the like. */
export interface CallTarget {
  readonly tool: string;
  readonly input: Params;
}

/** Builds the call of a request. Undefined if its `requestState` is invalid. */
export function createLiveCall(
  endpoint: Endpoint,
  exchange: Exchange,
  { tool, input, peer = new McpPeer(exchange) }: CallTarget & { readonly peer?: Peer },
): LiveCall | undefined {
  const { params, principal, session, client } = exchange;
  const answers = givenAnswers(endpoint, exchange, { tool, input });
  if (!answers) return undefined;
  exchange.hasCall = true;
  const meta = params["_meta"];
  const agent = agentContext(isRecord(meta) ? meta[metaKey.agent] : undefined, client.name);
  const builtIn = exchange.method === "tools/call" ? undefined : endpoint.server.reader(tool);
  const marks = retryMarks(isRecord(meta) ? meta : noArguments, exchange.retryKey);
  const { resolver } = endpoint;
  const scope =
    resolver && tool !== completeArgument ? (call: LiveCall) => resolver.scopeOf(exchange, call) : undefined;
  return new LiveCall({
    tool,
    input,
    route: "mcp",
    agent,
    principal,
    session: session?.id,
    answers,
    peer,
    scope,
    builtIn,
    showsApps: showsApps(client),
    trace: isRecord(meta) ? traceOf(meta) : undefined,
    // Without a spread, which would cost every call more than the three members.
    idempotencyKey: marks.idempotencyKey,
    expectedStep: marks.expectedStep,
    hasBadKey: marks.hasBadKey,
    mcp: exchange,
  });
}

export function invalidRequestState(): McpAnswer {
  return invalidParams("requestState is expired, or was not issued by this server for this request");
}

/** The open questions of a call, as an `input_required` result of the modern era. */
export function inputRequired(
  endpoint: Endpoint,
  exchange: Exchange,
  { call, outcome }: { call: LiveCall; outcome: Suspended },
): McpAnswer {
  const { tool, input, answers = {} } = call.original;
  const { questions } = outcome;
  const inputRequests = Object.fromEntries(
    Object.entries(questions).map(([key, question]) => [key, questionRequest(question, "modern")]),
  );
  const requestState = endpoint.state.seal(subjectOf(exchange, { tool, input }), answers);
  const result = { resultType: "input_required", inputRequests, requestState };
  return { result: endpoint.encoder.result("modern", result) };
}

/** Encodes an outcome as the response of one method. */
type Encode = (endpoint: Endpoint, exchange: Exchange, outcome: Exclude<Outcome, Suspended>) => McpAnswer;

export function performCall(
  endpoint: Endpoint,
  exchange: Exchange,
  { tool, input, encode }: CallTarget & { readonly encode: Encode },
): McpAnswer | Promise<McpAnswer> {
  const call = createLiveCall(endpoint, exchange, { tool, input });
  if (!call) return invalidRequestState();
  exchange.running = call;
  const settle = (outcome: Outcome) =>
    outcome.status === "suspended"
      ? inputRequired(endpoint, exchange, { call, outcome })
      : encode(endpoint, exchange, outcome);
  const outcome = endpoint.server.perform(call);
  return outcome instanceof Promise ? outcome.then(settle) : settle(outcome);
}

const encodeCall: Encode = ({ encoder, resolver, server }, { era, params, session }, outcome) => {
  // A protocol error would end a rollout of Eval Protocol, so there an unknown tool is an error that the model reads.
  if (outcome.status === "failed" && outcome.error.code === "TOOL_NOT_FOUND" && resolver?.isEvalProtocol(session))
    return encoder.errorResult(era, outcome.error);
  return encoder.call(era, outcome, server.find(params["name"] as string)?.output?.json);
};

const encodeRead: Encode = (endpoint, { era }, outcome) => {
  if (outcome.status === "failed") return failure(era, outcome);
  const contents = outcome.content.flatMap((part) => (part.type === "resource" ? [part.resource] : []));
  return { result: endpoint.encoder.result(era, { contents, ...endpoint.lists.cacheHints(era) }) };
};

/** Encodes results that have their own shape: prompts and completions. */
export const encodeStructured: Encode = (endpoint, { era }, outcome) => {
  if (outcome.status === "failed") return failure(era, outcome);
  const structured = isReply(outcome.value) ? (outcome.value.structured as Params) : {};
  return { result: endpoint.encoder.result(era, structured) };
};

/** The answers of earlier attempts and of this one. Undefined if `requestState` is invalid. */
function givenAnswers(endpoint: Endpoint, exchange: Exchange, target: CallTarget): Params | undefined {
  const { inputResponses, requestState } = exchange.params;
  if (exchange.era === "legacy" || (inputResponses === undefined && requestState === undefined)) return noAnswers;
  const earlier = requestState === undefined ? {} : endpoint.state.open(subjectOf(exchange, target), requestState);
  return earlier && { ...earlier, ...(isRecord(inputResponses) ? inputResponses : {}) };
}

function subjectOf({ method, principal }: Exchange, target: { tool: string; input: unknown }): StateSubject {
  return { method, principal, name: target.tool, input: target.input };
}

function failure(era: Era, outcome: Extract<Outcome, { status: "failed" }>): McpAnswer {
  return outcome.error.code === "CANCELLED" ? "no-response" : { fault: plainFaultFor(era, outcome.error) };
}

function resourceNotFound({ era }: Exchange, uri: string): McpAnswer {
  const code = era === "modern" ? rpcCode.invalidParams : rpcCode.legacyResourceNotFound;
  return { fault: { code, message: `Resource not found: ${uri}`, data: { uri } } };
}

export function invalidParams(why: string): McpAnswer {
  return { fault: { code: rpcCode.invalidParams, message: `Invalid params: ${why}` } };
}

const noArguments: Params = Object.freeze({});
const noAnswers: Params = Object.freeze({});
