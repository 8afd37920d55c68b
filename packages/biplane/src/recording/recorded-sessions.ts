import { chargedTo } from "@biplane/core/internal";
import type { LiveCall } from "@biplane/core/internal";

/** A session that is being recorded. */
export interface OpenSession {
  readonly id: string;
  bytes: number;
  /** What the caller has taken in all of its sessions. Undefined for callers in this process, and trainers. */
  readonly caller: { bytes: number } | undefined;
  lastUsedAt: number;
  isFull: boolean;
}

/**
 * Finds the session that a call belongs to: its episode, else its MCP session, else its caller until it pauses. Ids are
 * our own, because an MCP session id is a credential.
 */
export class RecordedSessions {
  readonly #recording: string;
  readonly #idleMs: number;
  readonly #sessions = new Map<string, OpenSession>();
  readonly #callers = new Map<string, { bytes: number }>();
  #count = 0;

  constructor(recording: string, { idleMs }: { readonly idleMs: number }) {
    this.#recording = recording;
    this.#idleMs = idleMs;
  }

  find(call: LiveCall, now: number): { session: OpenSession; isNew: boolean } {
    const { key, canPause } = keyOf(call);
    const known = this.#sessions.get(key);
    this.#sessions.delete(key);
    const isNew = !known || (canPause && now - known.lastUsedAt > this.#idleMs);
    const session = isNew ? this.#begin(call, now) : known;
    session.lastUsedAt = now;
    this.#sessions.set(key, session);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > maxSessions && oldest !== undefined) this.#sessions.delete(oldest);
    return { session, isNew };
  }

  #begin({ principal }: LiveCall, now: number): OpenSession {
    const caller = this.#callerNamed(chargedTo(principal));
    return { id: `${this.#recording}-${++this.#count}`, bytes: 0, caller, lastUsedAt: now, isFull: false };
  }

  #callerNamed(name: string | undefined): OpenSession["caller"] {
    if (name === undefined) return undefined;
    const caller = this.#callers.get(name) ?? { bytes: 0 };
    this.#callers.set(name, caller);
    const [oldest] = this.#callers.keys();
    if (this.#callers.size > maxSessions && oldest !== undefined) this.#callers.delete(oldest);
    return caller;
  }
}

const maxSessions = 10_000;

/** Callers of MCP 2026-07-28 and REST have no sessions, so theirs end when they pause. */
function keyOf({ episode, session, principal, agent }: LiveCall): { key: string; canPause: boolean } {
  if (episode !== undefined) return { key: `episode ${episode}`, canPause: false };
  if (session !== undefined) return { key: `session ${session}`, canPause: false };
  return { key: `caller ${JSON.stringify([principal.kind, principal.id, agent.agentId])}`, canPause: true };
}
