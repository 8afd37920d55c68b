import { Failure } from "../runtime/failure.ts";
import { encodeUtf8 } from "../utf8.ts";
import type { Reply, WorkerQuestion } from "./messages.ts";

/** A worker's line to its host. */
export interface HostLine {
  /** Sends a question and sleeps until the reply arrives. */
  readonly ask: (question: WorkerQuestion) => Reply;
  readonly print: (text: string) => void;
}

/** Represents an error of the host, which cannot be sent to the worker. */
export class HostErrorReference extends Error {
  readonly errorIndex: number;

  constructor(reason: string, errorIndex: number) {
    super(reason);
    this.errorIndex = errorIndex;
  }
}

/** Throws if the reply is an error. */
export function checkReply(reply: Reply): Exclude<Reply, { kind: "error" }> {
  if (reply.kind !== "error") return reply;
  const reference = new HostErrorReference(reply.reason, reply.errorIndex);
  throw new Failure(encodeUtf8(reply.reason), reply.code, reference);
}
