import type { Peer } from "../../call/live-call.ts";
import { logLevels } from "../../tool/log-level.ts";
import type { LogLevel } from "../../tool/log-level.ts";
import type { Question } from "../../tool/question.ts";
import { canAnswer } from "./client.ts";
import type { Exchange } from "./exchange.ts";
import { questionRequest } from "./questions.ts";
import { notification } from "../../protocol/rpc.ts";
import { isRecord } from "../../is-record.ts";

/** The MCP client's end of a running call. */
export class McpPeer implements Peer {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  progress(progress: number, options: { total?: number; message?: string }): void {
    const meta = this.#exchange.params["_meta"];
    const progressToken = isRecord(meta) ? meta["progressToken"] : undefined;
    if (progressToken === undefined) return;
    this.#exchange.channel.send(notification("notifications/progress", { progressToken, progress, ...options }));
  }

  log(level: LogLevel, data: unknown, logger: string | undefined): void {
    const wanted = this.#exchange.session?.logLevel ?? this.#exchange.client.logLevel;
    if (wanted === undefined || logLevels.indexOf(level) < logLevels.indexOf(wanted)) return;
    this.#exchange.channel.send(notification("notifications/message", { level, data, ...(logger && { logger }) }));
  }

  canAsk(kind: Question["kind"]): boolean {
    const { era, session, client } = this.#exchange;
    return (era === "modern" || session !== undefined) && canAnswer(client, kind);
  }

  /** The legacy era asks over the open connection. The modern era ends the request and waits for the next attempt. */
  ask(questions: Readonly<Record<string, Question>>): Promise<Record<string, unknown>> | undefined {
    const { session, channel } = this.#exchange;
    if (!session) return undefined;
    const asked = Object.entries(questions).map(async ([key, question]) => {
      const { method, params } = questionRequest(question, "legacy");
      return [key, await session.request(method, params, channel)] as const;
    });
    return Promise.all(asked).then(Object.fromEntries<unknown>);
  }
}
