import { createHash } from "node:crypto";
import type { Principal } from "../tool/call.ts";

/** The open MCP sessions of a listening server. */
export interface Connections {
  connections(): Iterable<ConnectionInfo>;
  /** Closes a session and notifies its client if the transport allows. Returns false if the id is unknown. */
  close(id: string): boolean;
}

/** A description of an MCP session. */
export interface ConnectionInfo {
  /** From `connectionId`. The session id itself is a credential. */
  readonly id: string;
  readonly server: string;
  /** The client's name and its protocol version. */
  readonly client: string;
  readonly version: string;
  readonly principal: Pick<Principal, "kind" | "id">;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  readonly lastUsedAt: number;
  readonly episode: string | undefined;
}

/** A public id for a session, from which the session id cannot be derived. */
export function connectionId(session: string): string {
  return createHash("sha256").update(session).digest("hex").slice(0, 12);
}
