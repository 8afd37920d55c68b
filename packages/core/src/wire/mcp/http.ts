import { chargedTo } from "../../call/caller-of.ts";
import { chain } from "../../chain.ts";
import type { HttpMessage, ResponseWriter } from "../../transport/http-message.ts";
import { BiplaneError } from "../../errors.ts";
import type { Principal } from "../../tool/call.ts";
import { isFault, isModern, modernClient, plainClient, unsupportedVersion } from "./client.ts";
import { faultOfServer, plainFaultFor } from "./encode.ts";
import type { Endpoint } from "./endpoint.ts";
import { Exchange, answerMessage, noReplies } from "./exchange.ts";
import type { McpCaller } from "./exchange.ts";
import { initialize } from "./handshake.ts";
import { checkHeaders } from "./headers.ts";
import { isJsonType } from "../http-json.ts";
import { readRequestBody } from "../request-body.ts";
import { readEventId } from "./event-log.ts";
import type { EventPosition } from "./event-log.ts";
import { HttpReplyChannel, writeAnswer } from "./http-reply-channel.ts";
import { isMainStream } from "./http-sessions.ts";
import type { HttpSession, HttpSessions } from "./http-sessions.ts";
import { logged } from "./request-log.ts";
import { keyInHeaders } from "../retry-key.ts";
import { legacyVersions, modernVersion, rpcCode } from "../../protocol/protocol.ts";
import { parseMessage } from "../../protocol/parse-message.ts";
import { faultMessage, readMessage } from "../../protocol/rpc.ts";
import type { Incoming, Params, RpcFault, RpcId } from "../../protocol/rpc.ts";
import type { McpSession } from "./session.ts";
import { followedStreams } from "./shared-events.ts";
import type { RoutedRequest } from "../routed-request.ts";

/** MCP's Streamable HTTP: both eras on one address, and JSON-RPC POSTs without a handshake. */
export class McpHttpHandler {
  readonly #endpoint: Endpoint;
  readonly #sessions: HttpSessions;
  readonly #maxBodyBytes: number;
  constructor(endpoint: Endpoint, sessions: HttpSessions, maxBodyBytes: number) {
    this.#endpoint = endpoint;
    this.#sessions = sessions;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** `episode` is the one in the path, if any. */
  handle({ request, response, principal }: RoutedRequest, episode?: string): void {
    const incoming = new HttpRequest({ request, response, principal, episode });
    switch (request.method) {
      case "POST":
        return this.#post(incoming);
      case "GET":
        return this.#withSession(incoming, null, () => this.#get(incoming));
      case "DELETE":
        return this.#withSession(incoming, null, () => this.#delete(incoming));
      default:
        response.writeHead(405, { allow: "POST, GET, DELETE" }).end();
    }
  }

  #post(incoming: HttpRequest): void {
    const { request, response, principal } = incoming;
    if (!isJsonType(request.headers["content-type"])) {
      return refuse(response, null, invalidRequest("the Content-Type must be application/json", 415));
    }
    readRequestBody(request, { maxBytes: this.#maxBodyBytes, principal }, (text) => {
      if (text instanceof BiplaneError) {
        response.shouldKeepAlive = false;
        const isFull = text.code === "CAPACITY";
        const fault = isFull ? { ...plainFaultFor("legacy", text), status: 503 } : tooLarge;
        return refuse(response, null, fault);
      }
      const message = parseMessage(text);
      this.#withSession(incoming, "id" in message ? message.id : null, () => this.#receive(incoming, message));
    });
  }

  /** Finds the session of a request, and then serves it. */
  #withSession(incoming: HttpRequest, id: RpcId | null, serve: () => void): void {
    const { response } = incoming;
    const serveWith = (kept: HttpRequest["kept"]) => {
      incoming.kept = kept;
      serve();
    };
    try {
      const kept = this.#sessionOf(incoming);
      if (!(kept instanceof Promise)) return serveWith(kept);
      kept.then(serveWith).catch((error: unknown) => this.#fail({ response, id }, error));
    } catch (error) {
      this.#fail({ response, id }, error);
    }
  }

  #receive(incoming: HttpRequest, message: Incoming): void {
    switch (message.kind) {
      case "request":
        return isModern(message.params) || incoming.version === modernVersion
          ? this.#modern(incoming, message)
          : this.#legacy(incoming, message);
      case "invalid":
        return this.#refuse(
          incoming,
          message.id,
          incoming.isPlain && this.#endpoint.hasDialect ? { ...message.fault, status: 200 } : message.fault,
        );
      case "batch":
        return this.#batch(incoming, message.messages);
      default:
        this.#accept(incoming, message);
    }
  }

  #modern(incoming: HttpRequest, { id, method, params }: Request): void {
    const { request, response, principal } = incoming;
    const client = modernClient(params["_meta"]);
    if (isFault(client) && client.code === rpcCode.invalidParams) return this.#refuse(incoming, id, client);
    const fault = checkHeaders(this.#endpoint.server, request.headers, { method, params });
    if (fault) return this.#refuse(incoming, id, fault);
    if (isFault(client)) return this.#refuse(incoming, id, client);
    if (method === "subscriptions/listen" && !incoming.acceptsStream) {
      return this.#refuse(incoming, id, invalidRequest("Accept must include text/event-stream to listen", 406));
    }
    const caller = {
      era: "modern" as const,
      client,
      principal,
      session: undefined,
      episode: incoming.episode,
      slotKey: undefined,
      retryKey: keyInHeaders(request.headers),
    };
    this.#serve(
      new Exchange({ id, method, params }, caller, new HttpReplyChannel(response, incoming.acceptsStream)),
      response,
    );
  }

  #legacy(incoming: HttpRequest, { id, method, params }: Request): void {
    const { response, version } = incoming;
    if (version !== undefined && !legacyVersions.includes(version))
      return this.#refuse(incoming, id, unsupportedVersion(version));
    if (method === "initialize") return this.#initialize(incoming, id, params);
    const { kept } = incoming;
    if (kept === "unknown") return this.#refuse(incoming, id, sessionNotFound);
    if (kept?.session.running.has(id)) return this.#refuse(incoming, id, invalidRequest("this id is in use", 400));
    const channel = new HttpReplyChannel(response, incoming.acceptsStream, kept);
    this.#serve(new Exchange({ id, method, params }, legacyCaller(incoming, kept?.session), channel), response);
  }

  /** Serves a request. A synchronous answer needs no listeners and no bookkeeping. */
  #serve(exchange: Exchange, response: ResponseWriter): void {
    const { id, session } = exchange;
    const channel = exchange.channel as HttpReplyChannel;
    const answer = this.#endpoint.handle(exchange);
    if (!(answer instanceof Promise)) return channel.answer(id, answer);
    let isOver = false;
    // A session outlives its connections. Without one, a client that disconnects cannot fetch the answer later.
    if (session) session.running.set(id, exchange);
    else response.once("close", () => !isOver && exchange.disconnect());
    void answer.then((late) => {
      isOver = true;
      session?.running.delete(id);
      channel.answer(id, late);
    });
  }

  #initialize({ response, principal }: HttpRequest, id: RpcId, params: Params): void {
    let kept: HttpSession | undefined;
    const deliver = (message: string) => kept?.mainStream?.send(message);
    void chain(initialize(this.#endpoint, params, { principal, deliver }), ({ session, answer }) => {
      if (session) {
        kept = this.#sessions.add(session);
        if (!kept) {
          const error = new BiplaneError("CAPACITY", "Too many sessions are open");
          return refuse(response, id, { ...plainFaultFor("legacy", error), status: 503 });
        }
      }
      const { requestLog } = this.#endpoint;
      if (requestLog) void logged(requestLog, { id, method: "initialize", params }, () => answer);
      const saving = kept && this.#sessions.save(kept);
      const write = () => writeAnswer(response, id, this.#endpoint.withoutSecrets(answer), session?.id);
      if (saving) saving.then(write, (error: unknown) => this.#fail({ response, id }, error));
      else write();
    });
  }

  #fail({ response, id }: { response: ResponseWriter; id: RpcId | null }, error: unknown): void {
    this.#endpoint.server.report(error, "MCP over HTTP");
    refuse(response, id, faultOfServer("legacy", error));
  }

  /** Accepts a notification or a response, which get no answer. */
  #accept(incoming: HttpRequest, message: Accepted): void {
    const { kept } = incoming;
    if (kept === "unknown") return refuse(incoming.response, null, sessionNotFound);
    const { response, principal } = incoming;
    const accept = () => void response.writeHead(202).end();
    const fail = (error: unknown) => this.#fail({ response, id: null }, error);
    const relayed = kept && this.#relay(kept.session, message, principal);
    if (relayed) relayed.then((refused) => (refused ? refuse(response, null, refused) : accept()), fail);
    else accept();
  }

  /** Passes on what may concern a request that another process serves. */
  #relay(session: McpSession, message: Accepted, principal: Principal): Promise<RpcFault | undefined> | undefined {
    const { relay } = this.#sessions;
    if (message.kind === "response") return this.#counted(principal, () => relay.respond(session, message));
    if (message.method !== "notifications/cancelled") return undefined;
    return this.#counted(principal, () => relay.cancel(session, message.params["requestId"] as RpcId));
  }

  /** In a fleet, such a message costs every process something, so it counts like a request. */
  async #counted(principal: Principal, work: () => Promise<void>): Promise<RpcFault | undefined> {
    const { fleet } = this.#endpoint.server;
    const refused = fleet ? await this.#endpoint.count({ era: "legacy", principal }) : undefined;
    if (!refused) await work();
    return refused?.fault;
  }

  /** Only 2025-03-26 has batches. Their answers are sent together. */
  #batch(incoming: HttpRequest, messages: readonly unknown[]): void {
    const { kept } = incoming;
    if (kept === "unknown") return this.#refuse(incoming, null, sessionNotFound);
    if (!kept || kept.session.client.version !== legacyVersions[2] || messages.length === 0) {
      return this.#refuse(incoming, null, invalidRequest("batches are not supported", 400));
    }
    const caller = { ...legacyCaller(incoming, kept.session), retryKey: undefined }; // one key cannot be for all
    const answers = messages.map(readMessage).flatMap((message) => {
      if (message.kind === "invalid") return [Promise.resolve(faultMessage(message.id, message.fault))];
      if (message.kind !== "request") return [];
      const answer = this.#endpoint.handle(new Exchange(message, caller, noReplies));
      return [Promise.resolve(answer).then((settled) => answerMessage(message.id, settled))];
    });
    void Promise.all(answers).then((all) => writeBatch(incoming.response, all));
  }

  /** Opens the main stream of a legacy session, or resumes a broken one. */
  #get(incoming: HttpRequest): void {
    const { request, response } = incoming;
    const { kept } = incoming;
    if (kept === undefined) return void response.writeHead(405, { allow: "POST" }).end();
    if (kept === "unknown") return refuse(response, null, sessionNotFound);
    if (!incoming.acceptsStream)
      return refuse(response, null, invalidRequest("Accept must include text/event-stream", 406));
    const lastEventId = request.headers["last-event-id"];
    const broken = typeof lastEventId === "string" ? kept.streamOf(lastEventId) : undefined;
    if (broken) return broken.resume(response, String(lastEventId));
    const elsewhere = kept.shared && typeof lastEventId === "string" ? readEventId(lastEventId) : undefined;
    if (elsewhere && !Number.isSafeInteger(elsewhere.sequence))
      return refuse(response, null, invalidRequest("unknown Last-Event-ID", 400));
    if (elsewhere && !isMainStream(elsewhere.stream)) return this.#follow(kept, incoming, elsewhere);
    if (kept.mainStream?.isOpen)
      return refuse(response, null, invalidRequest("this session has a stream already", 409));
    const main = new HttpReplyChannel(response, true, kept);
    main.open(true);
    if (elsewhere) this.#catchUp(kept, main, elsewhere);
  }

  /** Continues the stream of a request that another process serves, or served. */
  #follow({ shared }: HttpSession, { response, principal }: HttpRequest, from: EventPosition): void {
    const place = followedStreams.open(chargedTo(principal));
    const full = place.resize(1);
    if (full) return this.#fail({ response, id: null }, full);
    response.once("close", () => place.release());
    shared?.follow(response, from).catch((fault: unknown) => {
      this.#endpoint.server.report(fault, "the events of a session");
      response.destroy();
    });
  }

  /** Sends what the main stream at another process had for the client. From now on, this process has its main stream. */
  #catchUp({ shared }: HttpSession, main: HttpReplyChannel, from: EventPosition): void {
    shared?.after(from).then(
      (events) => {
        for (const { message } of events) if (message) main.send(message);
      },
      (fault: unknown) => this.#endpoint.server.report(fault, "the events of a session"),
    );
  }

  #delete(incoming: HttpRequest): void {
    const { response } = incoming;
    const { kept } = incoming;
    if (kept === undefined) return void response.writeHead(405, { allow: "POST" }).end();
    if (kept === "unknown") return refuse(response, null, sessionNotFound);
    const fail = (error: unknown) => this.#fail({ response, id: null }, error);
    this.#sessions.end(kept).then(() => response.writeHead(200).end(), fail);
  }

  /** Answers what cannot be served. It counts like a request. */
  #refuse({ response, principal }: HttpRequest, id: RpcId | null, fault: RpcFault): void {
    void chain(this.#endpoint.count({ era: "legacy", principal }), (refused) =>
      refuse(response, id, this.#endpoint.redactFault(refused?.fault ?? fault)),
    );
  }

  #sessionOf({ request, principal }: HttpRequest): HttpRequest["kept"] | Promise<HttpRequest["kept"]> {
    const id = request.headers["mcp-session-id"];
    if (typeof id !== "string") return undefined;
    return chain(this.#sessions.use(id, principal), (found) => found ?? "unknown");
  }
}

type Request = Extract<Incoming, { kind: "request" }>;
type Accepted = Extract<Incoming, { kind: "notification" | "response" }>;

/** One HTTP request with its principal. */
class HttpRequest {
  readonly request: HttpMessage;
  readonly response: ResponseWriter;
  readonly principal: Principal;
  readonly episode: string | undefined;
  /** The session that the request names, or `unknown` if there is no such session. */
  kept: HttpSession | "unknown" | undefined;

  constructor(options: Pick<HttpRequest, "request" | "response" | "principal" | "episode">) {
    this.request = options.request;
    this.response = options.response;
    this.principal = options.principal;
    this.episode = options.episode;
  }

  get version(): string | undefined {
    const header = this.request.headers["mcp-protocol-version"];
    return typeof header === "string" ? header : undefined;
  }

  /** True without MCP headers: OpenEnv's clients POST bare JSON-RPC and read the error, not the status. */
  get isPlain(): boolean {
    return this.version === undefined && this.request.headers["mcp-session-id"] === undefined && !this.acceptsStream;
  }

  get acceptsStream(): boolean {
    return this.request.headers.accept?.includes("text/event-stream") ?? false;
  }
}

const sessionNotFound: RpcFault = { code: -32001, message: "Session not found", status: 404 };

function legacyCaller({ request, principal, episode }: HttpRequest, session: McpSession | undefined): McpCaller {
  const client = session?.client ?? plainClient;
  const retryKey = keyInHeaders(request.headers);
  return { era: "legacy", client, principal, session, episode, slotKey: session, retryKey };
}

function invalidRequest(why: string, status: number): RpcFault {
  return { code: rpcCode.invalidRequest, message: `Invalid Request: ${why}`, status };
}

const tooLarge = invalidRequest("the body is too large", 413);

function refuse(response: ResponseWriter, id: RpcId | null, fault: RpcFault): void {
  writeAnswer(response, id, { fault });
}

function writeBatch(response: ResponseWriter, messages: readonly (string | undefined)[]): void {
  const parts = messages.filter((message) => message !== undefined);
  if (parts.length === 0) return void response.writeHead(202).end();
  const body = `[${parts.join(",")}]`;
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body);
}
