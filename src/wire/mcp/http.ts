import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../../tool/call.ts";
import { readBody } from "../../transport/http.ts";
import { isFault, isModern, modernClient, plainClient, unsupportedVersion } from "./client.ts";
import type { Client } from "./client.ts";
import type { Endpoint } from "./endpoint.ts";
import { answerMessage } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import { initialize } from "./handshake.ts";
import { checkHeaders } from "./headers.ts";
import { HttpLine, writeAnswer } from "./http-line.ts";
import type { Resumable } from "./http-line.ts";
import type { HttpSession, HttpSessions } from "./http-sessions.ts";
import { legacyVersions, modernVersion, rpcCode } from "./protocol.ts";
import type { Era } from "./protocol.ts";
import { faultMessage, parseMessage, readMessage } from "./rpc.ts";
import type { Incoming, Params, RpcFault, RpcId } from "./rpc.ts";

/** MCP's Streamable HTTP, both eras on one address, and plain JSON-RPC POSTs beside them. */
export class HttpDoor {
  readonly #endpoint: Endpoint;
  readonly #sessions: HttpSessions;
  readonly #maxBodyBytes: number;
  #streams = 0;

  constructor(endpoint: Endpoint, sessions: HttpSessions, maxBodyBytes: number) {
    this.#endpoint = endpoint;
    this.#sessions = sessions;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** `episode` is the one that the address names, if it names one. */
  handle(request: IncomingMessage, response: ServerResponse, principal: Principal, episode?: string): void {
    const visit = new Visit(request, response, principal, episode);
    switch (request.method) {
      case "POST":
        return this.#post(visit);
      case "GET":
        return this.#get(visit);
      case "DELETE":
        return this.#delete(visit);
      default:
        response.writeHead(405, { allow: "POST, GET, DELETE" }).end();
    }
  }

  #post(visit: Visit): void {
    const { request, response } = visit;
    if (!isJson(request.headers["content-type"])) {
      return refuse(response, null, invalidRequest("the Content-Type must be application/json", 415));
    }
    readBody(request, this.#maxBodyBytes, (text) => {
      if (text === undefined) {
        response.shouldKeepAlive = false;
        return refuse(response, null, invalidRequest("the body is too large", 413));
      }
      const message = parseMessage(text);
      try {
        this.#receive(visit, message);
      } catch (error) {
        this.#endpoint.server.report(error, "the HTTP door");
        refuse(response, "id" in message ? message.id : null, { code: rpcCode.internal, message: "Internal error" });
      }
    });
  }

  #receive(visit: Visit, message: Incoming): void {
    const { response } = visit;
    switch (message.kind) {
      case "request":
        return isModern(message.params) || visit.version === modernVersion
          ? this.#modern(visit, message)
          : this.#legacy(visit, message);
      case "invalid":
        return refuse(response, message.id, message.fault);
      case "batch":
        return this.#batch(visit, message.messages);
      default:
        this.#accept(visit, message);
    }
  }

  #modern(visit: Visit, { id, method, params }: Request): void {
    const { request, response, principal } = visit;
    const fault = isModern(params)
      ? checkHeaders(this.#endpoint.server, request.headers, { method, params })
      : undefined;
    if (fault) return refuse(response, id, fault);
    const client = modernClient(params["_meta"]);
    if (isFault(client)) return refuse(response, id, client);
    if (method === "subscriptions/listen" && !visit.acceptsStream) {
      return refuse(response, id, invalidRequest("Accept must include text/event-stream to listen", 406));
    }
    const line = new HttpLine(response, { acceptsStream: visit.acceptsStream });
    const exchange = exchangeOf(
      { id, method, params, era: "modern", client, principal, session: undefined, episode: visit.episode },
      line,
    );
    this.#serve(exchange, line, response, true);
  }

  #legacy(visit: Visit, { id, method, params }: Request): void {
    const { response, principal, version } = visit;
    if (version !== undefined && !legacyVersions.includes(version))
      return refuse(response, id, unsupportedVersion(version));
    if (method === "initialize") return this.#initialize(visit, id, params);
    const kept = this.#sessionOf(visit);
    if (kept === "unknown") return refuse(response, id, sessionNotFound);
    const client = kept?.session.client ?? plainClient;
    const resumable = kept && this.#resumable(kept, client);
    const line = new HttpLine(response, { acceptsStream: visit.acceptsStream, resumable });
    const exchange = exchangeOf(
      {
        id,
        method,
        params,
        era: "legacy",
        client,
        principal,
        session: kept?.session,
        episode: visit.episode,
        seatKey: kept?.session,
      },
      line,
    );
    if (!kept || !resumable) return this.#serve(exchange, line, response, true);
    if (kept.session.running.has(id)) return refuse(response, id, invalidRequest("this id is in use", 400));
    this.#serve(exchange, line, response, false, () => {
      kept.session.running.set(id, exchange);
      kept.lines.set(resumable.id, line);
      return () => {
        kept.session.running.delete(id);
        forgetLines(kept, resumable.id);
      };
    });
  }

  /** Serves a request. What is settled at once needs no listeners and no tables. */
  #serve(
    exchange: Exchange,
    line: HttpLine,
    response: ServerResponse,
    leavingCancels: boolean,
    begin?: () => () => void,
  ): void {
    const answer = this.#endpoint.handle(exchange);
    if (!(answer instanceof Promise)) return line.answer(exchange.id, answer);
    const finish = begin?.();
    let isOver = false;
    if (leavingCancels) response.once("close", () => !isOver && exchange.onCancel?.());
    void answer.then((late) => {
      isOver = true;
      finish?.();
      line.answer(exchange.id, late);
    });
  }

  #initialize({ response, principal }: Visit, id: RpcId, params: Params): void {
    let main: HttpSession | undefined;
    const { session, answer } = initialize(this.#endpoint, params, principal, (message) =>
      main?.lines.get(mainLine)?.send(message),
    );
    if (session) {
      main = this.#sessions.add(session);
      if (!main)
        return refuse(response, id, { code: rpcCode.server, message: "Too many sessions are open", status: 503 });
    }
    writeAnswer(response, id, answer, session && { "mcp-session-id": session.id });
  }

  /** A notification or a response: nothing to answer. */
  #accept(visit: Visit, message: Exclude<Incoming, { kind: "request" | "invalid" | "batch" }>): void {
    const kept = this.#sessionOf(visit);
    if (kept === "unknown") return refuse(visit.response, null, sessionNotFound);
    if (message.kind === "response") kept?.session.respond(message.id, message.result, message.error);
    else if (message.method === "notifications/cancelled") {
      kept?.session.running.get(message.params["requestId"] as RpcId)?.onCancel?.();
    }
    visit.response.writeHead(202).end();
  }

  /** Batches are of one old revision only. Their answers come together. */
  #batch(visit: Visit, messages: readonly unknown[]): void {
    const kept = this.#sessionOf(visit);
    if (kept === "unknown") return refuse(visit.response, null, sessionNotFound);
    if (!kept || kept.session.client.version !== legacyVersions[2] || messages.length === 0 || messages.length > 100) {
      return refuse(visit.response, null, invalidRequest("batches are not supported", 400));
    }
    const { session } = kept;
    const { principal, response } = visit;
    const answers = messages.map(readMessage).flatMap((message) => {
      if (message.kind === "invalid") return [Promise.resolve(faultMessage(message.id, message.fault))];
      if (message.kind !== "request") return [];
      const { id, method, params } = message;
      const base = {
        id,
        method,
        params,
        era: "legacy" as const,
        client: session.client,
        principal,
        session,
        episode: visit.episode,
        seatKey: session,
      };
      const answer = this.#endpoint.handle({ ...base, send: () => undefined, onCancel: undefined });
      return [Promise.resolve(answer).then((settled) => answerMessage(id, settled))];
    });
    void Promise.all(answers).then((all) => writeBatch(response, all));
  }

  /** The older era's standing stream, or the rest of one that broke off. */
  #get(visit: Visit): void {
    const { request, response } = visit;
    const kept = this.#sessionOf(visit);
    if (kept === undefined) return void response.writeHead(405, { allow: "POST" }).end();
    if (kept === "unknown") return refuse(response, null, sessionNotFound);
    if (!visit.acceptsStream)
      return refuse(response, null, invalidRequest("Accept must include text/event-stream", 406));
    const lastEventId = request.headers["last-event-id"];
    if (typeof lastEventId === "string") {
      const line = kept.lines.get(kept.log.streamOf(lastEventId));
      if (line?.isStream) return line.resume(response, lastEventId);
    }
    if (kept.lines.get(mainLine)?.isOpen)
      return refuse(response, null, invalidRequest("this session has a stream already", 409));
    const resumable = { ...this.#resumable(kept, kept.session.client), id: mainLine };
    const line = new HttpLine(response, { acceptsStream: true, resumable });
    kept.lines.set(mainLine, line);
    line.open();
  }

  #delete(visit: Visit): void {
    const { response } = visit;
    const kept = this.#sessionOf(visit);
    if (kept === undefined) return void response.writeHead(405, { allow: "POST" }).end();
    if (kept === "unknown") return refuse(response, null, sessionNotFound);
    this.#sessions.end(kept);
    response.writeHead(200).end();
  }

  #sessionOf({ request, principal }: Visit): HttpSession | "unknown" | undefined {
    const id = request.headers["mcp-session-id"];
    if (typeof id !== "string") return undefined;
    return this.#sessions.use(id, principal) ?? "unknown";
  }

  #resumable({ session, log }: HttpSession, client: Client): Resumable {
    const primes = client.version >= "2025-11-25";
    return { id: `s${++this.#streams}`, log, primes, headers: { "mcp-session-id": session.id } };
  }
}

type Request = Extract<Incoming, { kind: "request" }>;

/** One HTTP request and who makes it. */
class Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal;
  readonly episode: string | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, principal: Principal, episode: string | undefined) {
    this.request = request;
    this.response = response;
    this.principal = principal;
    this.episode = episode;
  }

  get version(): string | undefined {
    const header = this.request.headers["mcp-protocol-version"];
    return typeof header === "string" ? header : undefined;
  }

  get acceptsStream(): boolean {
    return this.request.headers.accept?.includes("text/event-stream") ?? false;
  }
}

const mainLine = "main";

/** Streams that ended stay for a while, for clients that lost them; plain responses do not. */
function forgetLines({ lines }: HttpSession, ended: string): void {
  if (!lines.get(ended)?.isStream) lines.delete(ended);
  const finished = [...lines].filter(([id, line]) => id !== mainLine && !line.isOpen);
  for (const [id] of finished.slice(0, -16)) lines.delete(id);
}

const sessionNotFound: RpcFault = { code: -32001, message: "Session not found", status: 404 };

function exchangeOf(base: Omit<Exchange, "send" | "onCancel" | "era"> & { era: Era }, line: HttpLine): Exchange {
  return { ...base, send: (message) => line.send(message), onCancel: undefined };
}

function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType);
}

function invalidRequest(why: string, status: number): RpcFault {
  return { code: rpcCode.invalidRequest, message: `Invalid Request: ${why}`, status };
}

function refuse(response: ServerResponse, id: RpcId | null, fault: RpcFault): void {
  writeAnswer(response, id, { fault });
}

function writeBatch(response: ServerResponse, messages: readonly (string | undefined)[]): void {
  const parts = messages.filter((message) => message !== undefined);
  if (parts.length === 0) return void response.writeHead(202).end();
  const body = `[${parts.join(",")}]`;
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body);
}
