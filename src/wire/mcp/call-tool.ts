import { LiveCall } from "../../call/live-call.ts";
import type { Peer } from "../../call/live-call.ts";
import type { Outcome, Suspended } from "../../call/outcome.ts";
import { BiplaneError } from "../../errors.ts";
import { completeArgument, getPrompt, readResource } from "../../server/readers.ts";
import { isReply } from "../../tool/content.ts";
import { agentContext } from "../agent.ts";
import { traceOf } from "../trace.ts";
import { knowsTasks, showsApps } from "./client.ts";
import { plainFaultFor } from "./encode.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { McpPeer } from "./peer.ts";
import { metaKey, rpcCode } from "../../protocol/protocol.ts";
import type { Era } from "../../protocol/protocol.ts";
import { questionRequest } from "./questions.ts";
import type { StateSubject } from "./request-state.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { Params } from "../../protocol/rpc.ts";

/** `tools/call`: from the request straight to the path of a call, and the outcome back as a result. */
export function callTool(endpoint: Endpoint, exchange: Exchange): Answer | Promise<Answer> {
  const { name, arguments: input = noArguments } = exchange.params;
  if (typeof name !== "string") return invalidParams("name must be a string");
  if (!isObject(input)) return invalidParams("arguments must be an object");
  if (knowsTasks(exchange.client) && (endpoint.server.approver || endpoint.server.find(name)?.task)) {
    return endpoint.tasks.call(endpoint, exchange, name, input);
  }
  return perform(endpoint, exchange, name, input, encodeCall);
}

export function read(endpoint: Endpoint, exchange: Exchange): Answer | Promise<Answer> {
  const { uri } = exchange.params;
  if (typeof uri !== "string") return invalidParams("uri must be a string");
  if (!endpoint.server.findResource(uri)) return resourceNotFound(exchange, uri);
  return perform(endpoint, exchange, readResource, { uri }, encodeRead);
}

export function prompt(endpoint: Endpoint, exchange: Exchange): Answer | Promise<Answer> {
  const { name, arguments: given } = exchange.params;
  if (typeof name !== "string") return invalidParams("name must be a string");
  if (!endpoint.server.findPrompt(name)) return invalidParams(`unknown prompt ${name}`);
  const input = given === undefined ? { name } : { name, arguments: given };
  return perform(endpoint, exchange, getPrompt, input, encodeStructured);
}

/** A call for an exchange: what the wire knows, in the words of the path. Undefined where its state is not ours. */
export function liveCall(
  endpoint: Endpoint,
  exchange: Exchange,
  tool: string,
  input: Params,
  peer: Peer = new McpPeer(exchange),
): LiveCall | undefined {
  const { params, principal, session, client } = exchange;
  const answers = givenAnswers(endpoint, exchange, tool, input);
  if (!answers) return undefined;
  const meta = params["_meta"];
  const agent = agentContext(isObject(meta) ? meta[metaKey.agent] : undefined, client.name);
  const builtIn = exchange.method === "tools/call" ? undefined : endpoint.server.reader(tool);
  const { seating } = endpoint;
  const scope = seating && tool !== completeArgument ? () => seating.scopeOf(exchange) : undefined;
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
    trace: isObject(meta) ? traceOf(meta) : undefined,
  });
}

export function badState(): Answer {
  return invalidParams("requestState was not made here, for this request, or is too old");
}

/** The questions a call waits on, as the modern era's `input_required` result. */
export function inputRequired(
  endpoint: Endpoint,
  exchange: Exchange,
  call: LiveCall,
  { questions }: Suspended,
): Answer {
  const { tool, input, answers = {} } = call.original;
  const inputRequests = Object.fromEntries(
    Object.entries(questions).map(([key, question]) => [key, questionRequest(question, "modern")]),
  );
  const requestState = endpoint.state.seal(subjectOf(exchange, tool, input), answers);
  const result = { resultType: "input_required", inputRequests, requestState };
  return { result: endpoint.encoder.result("modern", result) };
}

/** How an outcome is said in answer to one method. */
type Encode = (endpoint: Endpoint, exchange: Exchange, outcome: Exclude<Outcome, Suspended>) => Answer;

export function perform(
  endpoint: Endpoint,
  exchange: Exchange,
  tool: string,
  input: Params,
  encode: Encode,
): Answer | Promise<Answer> {
  const call = liveCall(endpoint, exchange, tool, input);
  if (!call) return badState();
  exchange.running = call;
  const outcome = endpoint.server.perform(call);
  return outcome instanceof Promise
    ? outcome.then((late) => settle(endpoint, exchange, call, late, encode))
    : settle(endpoint, exchange, call, outcome, encode);
}

function settle(endpoint: Endpoint, exchange: Exchange, call: LiveCall, outcome: Outcome, encode: Encode): Answer {
  return outcome.status === "suspended"
    ? inputRequired(endpoint, exchange, call, outcome)
    : encode(endpoint, exchange, outcome);
}

const encodeCall: Encode = (endpoint, { era, params, session }, outcome) => {
  const told = endpoint.seating?.isEvaluated(session) ? forgive(outcome) : outcome;
  return endpoint.encoder.call(era, told, endpoint.server.find(params["name"] as string)?.output?.json);
};

/** A name that a model made up is the model's mistake: where a protocol error would end its run, it is told instead. */
function forgive(outcome: Exclude<Outcome, Suspended>): Exclude<Outcome, Suspended> {
  if (outcome.status !== "failed" || outcome.error.code !== "TOOL_NOT_FOUND") return outcome;
  return { status: "failed", error: new BiplaneError("INVALID_INPUT", outcome.error.message) };
}

const encodeRead: Encode = (endpoint, { era }, outcome) => {
  if (outcome.status === "failed") return failure(era, outcome);
  const contents = outcome.content.flatMap((part) => (part.type === "resource" ? [part.resource] : []));
  return { result: endpoint.encoder.result(era, { contents, ...endpoint.lists.cacheHints(era) }) };
};

/** For what is answered by a result of its own shape: a prompt, a completion. */
export const encodeStructured: Encode = (endpoint, { era }, outcome) => {
  if (outcome.status === "failed") return failure(era, outcome);
  const structured = isReply(outcome.value) ? (outcome.value.structured as Params) : {};
  return { result: endpoint.encoder.result(era, structured) };
};

/** What earlier attempts were told, and what this one brings. */
function givenAnswers(endpoint: Endpoint, exchange: Exchange, tool: string, input: Params): Params | undefined {
  const { inputResponses, requestState } = exchange.params;
  if (exchange.era === "legacy" || (inputResponses === undefined && requestState === undefined)) return noArguments;
  const earlier = requestState === undefined ? {} : endpoint.state.open(subjectOf(exchange, tool, input), requestState);
  return earlier && { ...earlier, ...(isObject(inputResponses) ? inputResponses : {}) };
}

function subjectOf({ method, principal }: Exchange, name: string, input: unknown): StateSubject {
  return { method, principal, name, input };
}

function failure(era: Era, outcome: Extract<Outcome, { status: "failed" }>): Answer {
  return outcome.error.code === "CANCELLED" ? "silence" : { fault: plainFaultFor(era, outcome.error) };
}

function resourceNotFound({ era }: Exchange, uri: string): Answer {
  const code = era === "modern" ? rpcCode.invalidParams : rpcCode.legacyResourceNotFound;
  return { fault: { code, message: `Resource not found: ${uri}`, data: { uri } } };
}

export function invalidParams(why: string): Answer {
  return { fault: { code: rpcCode.invalidParams, message: `Invalid params: ${why}` } };
}

const noArguments: Params = Object.freeze({});
