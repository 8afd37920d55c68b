import type { Fleet } from "../../server/fleet.ts";
import type { ServerCore } from "../../server/server-core.ts";
import type { RpcId } from "../../protocol/rpc.ts";
import type { McpSession } from "./session.ts";

interface RelayListeners {
  readonly find: (id: string) => McpSession | undefined;
  readonly onChanged: (id: string) => void;
  readonly onEnded: (id: string) => void;
}

/** Passes what a client sends to one process on to the process that waits for it. */
export class SessionRelay {
  readonly #fleet: Fleet | undefined;
  readonly #topic: string;
  readonly #stop: (() => void) | undefined;

  constructor(server: ServerCore, listeners: RelayListeners) {
    this.#fleet = server.fleet;
    this.#topic = `sessions of ${server.name}`;
    this.#stop = this.#fleet?.receive(this.#topic, (data) => receive(data as SessionMessage, listeners));
  }

  /** A response to a request that the server sent. */
  async respond(session: McpSession, { id, result, error }: Omit<Response, "kind" | "session">): Promise<void> {
    if (session.respond(id, result, error) || !isOwnRequest(id)) return;
    await this.#send({ kind: "response", session: session.id, id, result, error });
  }

  async cancel(session: McpSession, id: RpcId): Promise<void> {
    const exchange = session.running.get(id);
    if (exchange) exchange.cancel();
    else await this.#send({ kind: "cancel", session: session.id, id });
  }

  async changed(session: string): Promise<void> {
    await this.#send({ kind: "changed", session });
  }

  async ended(session: string): Promise<void> {
    await this.#send({ kind: "ended", session });
  }

  close(): void {
    this.#stop?.();
  }

  /** A very long answer is dropped: every process would read it. */
  async #send(data: SessionMessage): Promise<void> {
    if (this.#fleet && JSON.stringify(data).length <= maxMessageLength)
      await this.#fleet.send({ topic: this.#topic, data });
  }
}

/** In characters. */
export const maxMessageLength = 256 * 1024;

/** True for ids of requests that sessions send. */
function isOwnRequest(id: RpcId): boolean {
  return typeof id === "string" && id.startsWith("biplane-");
}

type SessionMessage =
  | Response
  | { readonly kind: "cancel"; readonly session: string; readonly id: RpcId }
  | { readonly kind: "changed" | "ended"; readonly session: string };

interface Response {
  readonly kind: "response";
  readonly session: string;
  readonly id: RpcId;
  readonly result?: unknown;
  readonly error?: unknown;
}

function receive(message: SessionMessage, { find, onChanged, onEnded }: RelayListeners): void {
  switch (message.kind) {
    case "response":
      find(message.session)?.respond(message.id, message.result, message.error);
      return;
    case "cancel":
      return find(message.session)?.running.get(message.id)?.cancel();
    case "changed":
      return onChanged(message.session);
    case "ended":
      return onEnded(message.session);
  }
}
