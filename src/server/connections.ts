import { createHash } from "node:crypto";
import type { Principal } from "../tool/call.ts";

/** The MCP sessions that are open behind a port. */
export interface Connections {
  connections(): Iterable<Connection>;
  /** Ends one and tells its client, as far as its wire can; false where there is none of that id. */
  close(id: string): boolean;
}

/** An MCP session as others may see it. */
export interface Connection {
  /** Not the session's own id, which is a key: what `connectionId` makes of it. */
  readonly id: string;
  readonly server: string;
  /** What the client calls itself, and the revision it speaks. */
  readonly client: string;
  readonly version: string;
  readonly principal: Pick<Principal, "kind" | "id">;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  readonly lastUsedAt: number;
  readonly episode: string | undefined;
}

/** A name for a session that opens nothing. */
export function connectionId(session: string): string {
  return createHash("sha256").update(session).digest("hex").slice(0, 12);
}
