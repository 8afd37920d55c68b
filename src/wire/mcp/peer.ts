import type { Peer } from "../../call/live-call.ts";
import { logLevels } from "../../tool/call.ts";
import type { LogLevel } from "../../tool/call.ts";
import type { Question } from "../../tool/question.ts";
import { canAnswer } from "./client.ts";
import type { Exchange } from "./exchange.ts";
import { questionRequest } from "./questions.ts";
import { isObject, notification } from "../../protocol/rpc.ts";

/** The MCP client's end of a running call. */
export class McpPeer implements Peer {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  progress(progress: number, options: { total?: number; message?: string }): void {
    const meta = this.#exchange.params["_meta"];
    const progressToken = isObject(meta) ? meta["progressToken"] : undefined;
    if (progressToken === undefined) return;
    this.#exchange.line.send(notification("notifications/progress", { progressToken, progress, ...options }));
  }

  log(level: LogLevel, data: unknown, logger: string | undefined): void {
    const wanted = this.#exchange.session?.logLevel ?? this.#exchange.client.logLevel;
    if (wanted === undefined || logLevels.indexOf(level) < logLevels.indexOf(wanted)) return;
    this.#exchange.line.send(notification("notifications/message", { level, data, ...(logger && { logger }) }));
  }

  canAsk(kind: Question["kind"]): boolean {
    const { era, session, client } = this.#exchange;
    return (era === "modern" || session !== undefined) && canAnswer(client, kind);
  }

  /** The older era asks over the open connection; the newer one ends the request and waits for its next attempt. */
  ask(questions: Readonly<Record<string, Question>>): Promise<Record<string, unknown>> | undefined {
    const { session, line } = this.#exchange;
    if (!session) return undefined;
    const asked = Object.entries(questions).map(async ([key, question]) => {
      const { method, params } = questionRequest(question, "legacy");
      return [key, await session.request(method, params, line)] as const;
    });
    return Promise.all(asked).then(Object.fromEntries<unknown>);
  }
}
