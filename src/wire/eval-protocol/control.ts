import type { IncomingMessage, ServerResponse } from "node:http";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import type { Seat } from "../../environment/seat.ts";
import { BiplaneError } from "../../errors.ts";
import { answerWith, readJson } from "../http-json.ts";
import type { Seating } from "../mcp/seating.ts";
import { isControlId } from "../mcp/seating.ts";

/** Eval Protocol's control plane: rewards, endings and resets, for the session named in `mcp-session-id`. */
export class EvalProtocolControl {
  readonly #environment: Environment;
  readonly #seating: Seating;
  readonly #maxBodyBytes: number;

  constructor(environment: Environment, seating: Seating, maxBodyBytes: number) {
    this.#environment = environment;
    this.#seating = seating;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** Answers, or says false where the path is not one of its own. */
  handle(request: IncomingMessage, response: ServerResponse, name: string): boolean {
    const reader = this.#readers[name];
    if (reader && request.method === "GET") {
      void answerWith(response, async () => reader(await this.#seat(request).episode()));
    } else if (name === "reset_session" && request.method === "POST") {
      void answerWith(response, () => this.#reset(request));
    } else if (reader || name === "reset_session") {
      response.writeHead(405, { allow: reader ? "GET" : "POST" }).end();
    } else {
      return false;
    }
    return true;
  }

  /** No answer but the first carries an observation, and that one carries no reward. */
  readonly #readers: Readonly<Record<string, (episode: Episode) => unknown>> = {
    initial_state: (episode) => episode.firstObservation,
    reward: (episode) => {
      if (episode.fault?.startsWith("reward")) throw new BiplaneError("EXECUTION_ERROR", episode.fault);
      const { reward, parts } = episode.last;
      return { reward: reward ?? 0, step_count: episode.stepCount, ...(parts && { parts }) };
    },
    status: (episode) => {
      if (episode.fault?.startsWith("status")) throw new BiplaneError("EXECUTION_ERROR", episode.fault);
      const { terminated, truncated, stepCount, totalReward } = episode;
      return { terminated, truncated, step_count: stepCount, total_reward: totalReward };
    },
    info: async (episode) => (await this.#environment.rules.options.info?.(episode.state, episode.standing)) ?? {},
  };

  /** Resetting a session that is gone, or was never there, is no error: there is nothing left to reset. */
  async #reset(request: IncomingMessage): Promise<object> {
    const id = idOf(request);
    const body = await readJson(request, this.#maxBodyBytes);
    const seed = typeof body === "object" && body !== null && "seed" in body ? body.seed : undefined;
    if (seed !== undefined && seed !== null && !(Number.isSafeInteger(seed) && Number(seed) >= 0)) {
      throw new BiplaneError("INVALID_INPUT", `seed must be a whole number from 0 up, not ${JSON.stringify(seed)}`);
    }
    await this.#seating.byId(id)?.reset({ seed: seed as number | null | undefined });
    return { ok: true };
  }

  #seat(request: IncomingMessage): Seat {
    const id = idOf(request);
    const seat = this.#seating.byId(id);
    if (!seat) throw new BiplaneError("TOOL_NOT_FOUND", `Session ${id} not found`);
    return seat;
  }
}

function idOf({ headers }: IncomingMessage): string {
  const id = headers["mcp-session-id"];
  if (id === undefined) throw new BiplaneError("INVALID_INPUT", "Missing mcp-session-id header");
  if (!isControlId(id))
    throw new BiplaneError("INVALID_INPUT", "mcp-session-id must be 1 to 128 letters, digits and . : _ -");
  return id;
}
