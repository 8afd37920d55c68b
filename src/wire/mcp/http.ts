import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../../tool/call.ts";
import { readBody } from "../../transport/http.ts";
import { isFault, isModern, modernClient, plainClient, unsupportedVersion } from "./client.ts";
import type { Endpoint } from "./endpoint.ts";
import { Exchange, answerMessage, silentLine } from "./exchange.ts";
import type { Caller } from "./exchange.ts";
import { initialize } from "./handshake.ts";
import { checkHeaders } from "./headers.ts";
import { HttpLine, writeAnswer } from "./http-line.ts";
import type { HttpSession, HttpSessions } from "./http-sessions.ts";
import { logged } from "./request-log.ts";
import { legacyVersions, modernVersion, rpcCode } from "../../protocol/protocol.ts";
import { faultMessage, parseMessage, readMessage } from "../../protocol/rpc.ts";
import type { Incoming, Params, RpcFault, RpcId } from "../../protocol/rpc.ts";
import type { Session } from "./session.ts";

/** MCP's Streamable HTTP, both eras on one address, and plain JSON-RPC POSTs beside them. */
export class HttpDoor {
  readonly #endpoint: Endpoint;
  readonly #sessions: HttpSessions;
  readonly #maxBodyBytes: number;
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
        return refuse(
          response,
          message.id,
          visit.isPlain && this.#endpoint.hasDialect ? { ...message.fault, status: 200 } : message.fault,
        );
      case "batch":
        return this.#batch(visit, message.messages);
      default:
        this.#accept(visit, message);
    }
  }

  #modern(visit: Visit, { id, method, params }: Request): void {
    const { request, response, principal } = visit;
    const client = modernClient(params["_meta"]);
    if (isFault(client) && client.code === rpcCode.invalidParams) return refuse(response, id, client);
    const fault = checkHeaders(this.#endpoint.server, request.headers, { method, params });
    if (fault) return refuse(response, id, fault);
    if (isFault(client)) return refuse(response, id, client);
    if (method === "subscriptions/listen" && !visit.acceptsStream) {
      return refuse(response, id, invalidRequest("Accept must include text/event-stream to listen", 406));
    }
    const caller = {
      era: "modern" as const,
      client,
      principal,
      session: undefined,
      episode: visit.episode,
      seatKey: undefined,
    };
    this.#serve(new Exchange({ id, method, params }, caller, new HttpLine(response, visit.acceptsStream)), response);
  }

  #legacy(visit: Visit, { id, method, params }: Request): void {
    const { response, principal, version } = visit;
    if (version !== undefined && !legacyVersions.includes(version))
      return refuse(response, id, unsupportedVersion(version));
    if (method === "initialize") return this.#initialize(visit, id, params);
    const kept = this.#sessionOf(visit);
    if (kept === "unknown") return refuse(response, id, sessionNotFound);
    if (kept?.session.running.has(id)) return refuse(response, id, invalidRequest("this id is in use", 400));
    const line = new HttpLine(response, visit.acceptsStream, kept);
    this.#serve(
      new Exchange({ id, method, params }, legacyCaller(kept?.session, principal, visit.episode), line),
      response,
    );
  }

  /** Serves a request. What is settled at once needs no listeners and no tables. */
  #serve(exchange: Exchange, response: ServerResponse): void {
    const { id, session } = exchange;
    const line = exchange.line as HttpLine;
    const answer = this.#endpoint.handle(exchange);
    if (!(answer instanceof Promise)) return line.answer(id, answer);
    let isOver = false;
    // A session outlives its connections; without one, a client that leaves will not come back for the answer.
    if (session) session.running.set(id, exchange);
    else response.once("close", () => !isOver && exchange.cancel());
    void answer.then((late) => {
      isOver = true;
      session?.running.delete(id);
      line.answer(id, late);
    });
  }

  #initialize({ response, principal }: Visit, id: RpcId, params: Params): void {
    let main: HttpSession | undefined;
    const { session, answer } = initialize(this.#endpoint, params, principal, (message) => main?.main?.send(message));
    if (session) {
      main = this.#sessions.add(session);
      if (!main)
        return refuse(response, id, { code: rpcCode.server, message: "Too many sessions are open", status: 503 });
    }
    const { requestLog } = this.#endpoint;
    if (requestLog) void logged(requestLog, { id, method: "initialize", params }, () => answer);
    writeAnswer(response, id, answer, session?.id);
  }

  /** A notification or a response: nothing to answer. */
  #accept(visit: Visit, message: Exclude<Incoming, { kind: "request" | "invalid" | "batch" }>): void {
    const kept = this.#sessionOf(visit);
    if (kept === "unknown") return refuse(visit.response, null, sessionNotFound);
    if (message.kind === "response") kept?.session.respond(message.id, message.result, message.error);
    else if (message.method === "notifications/cancelled") {
      kept?.session.running.get(message.params["requestId"] as RpcId)?.cancel();
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
    const caller = legacyCaller(kept.session, visit.principal, visit.episode);
    const answers = messages.map(readMessage).flatMap((message) => {
      if (message.kind === "invalid") return [Promise.resolve(faultMessage(message.id, message.fault))];
      if (message.kind !== "request") return [];
      const answer = this.#endpoint.handle(new Exchange(message, caller, silentLine));
      return [Promise.resolve(answer).then((settled) => answerMessage(message.id, settled))];
    });
    void Promise.all(answers).then((all) => writeBatch(visit.response, all));
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
    const broken = typeof lastEventId === "string" ? kept.streamOf(lastEventId) : undefined;
    if (broken) return broken.resume(response, String(lastEventId));
    if (kept.main?.isOpen) return refuse(response, null, invalidRequest("this session has a stream already", 409));
    new HttpLine(response, true, kept).open(true);
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

  /** Whether nothing about it is MCP's own: OpenEnv's clients POST bare JSON-RPC, and read the error, not the status. */
  get isPlain(): boolean {
    return this.version === undefined && this.request.headers["mcp-session-id"] === undefined && !this.acceptsStream;
  }

  get acceptsStream(): boolean {
    return this.request.headers.accept?.includes("text/event-stream") ?? false;
  }
}

const sessionNotFound: RpcFault = { code: -32001, message: "Session not found", status: 404 };

function legacyCaller(session: Session | undefined, principal: Principal, episode: string | undefined): Caller {
  return { era: "legacy", client: session?.client ?? plainClient, principal, session, episode, seatKey: session };
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
