import type { Environment } from "../environment/environment.ts";
import type { ServeOptions } from "../server/listening.ts";
import { EpisodeEndpoint } from "./control/episodes.ts";
import { EvalProtocolControl } from "./eval-protocol/control.ts";
import { answerWith, readJson } from "./http-json.ts";
import type { EpisodeResolver } from "./mcp/episode-resolver.ts";
import { NemoGymEndpoint } from "./nemo-gym/endpoint.ts";
import { OpenEnvHttp } from "./openenv/http.ts";
import { answerTasks, splitsOf, taskRoutes } from "./openenv/tasks.ts";
import type { TaskRoute } from "./openenv/tasks.ts";
import { OrsEndpoint } from "./ors/endpoint.ts";
import type { RoutedRequest } from "./routed-request.ts";

/** The HTTP endpoints of an environment that only trainers may use. */
export class TrainerEndpoints {
  readonly #environment: Environment;
  readonly #openEnv: OpenEnvHttp;
  readonly #control: EvalProtocolControl;
  readonly #episodes: EpisodeEndpoint;
  readonly #ors: OrsEndpoint;
  readonly #nemoGym: NemoGymEndpoint;
  readonly #maxBodyBytes: number;

  constructor(environment: Environment, resolver: EpisodeResolver, options: TrainerOptions) {
    const { maxBodyBytes, maxSessions, orsRewards, siblings } = options;
    this.#environment = environment;
    this.#openEnv = new OpenEnvHttp(environment, resolver, maxBodyBytes);
    this.#control = new EvalProtocolControl(environment, resolver, maxBodyBytes);
    this.#episodes = new EpisodeEndpoint(environment, resolver.labels, maxBodyBytes);
    const limits = { maxBodyBytes, maxSessions };
    this.#ors = new OrsEndpoint([environment, ...siblings], { ...limits, rewards: orsRewards });
    this.#nemoGym = new NemoGymEndpoint(environment, limits);
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** Returns false if the path is not a trainer endpoint. */
  handle(routed: RoutedRequest): boolean {
    const { request, path } = routed;
    switch (`${request.method} ${path}`) {
      case "POST /reset":
        void this.#openEnv.reset(routed);
        return true;
      case "POST /step":
        void this.#openEnv.step(routed);
        return true;
      case "GET /state":
        void this.#openEnv.state(routed);
        return true;
      default:
    }
    if (path.startsWith("/control/episodes")) {
      this.#episodes.handle({ ...routed, path: path.slice("/control/episodes".length) });
      return true;
    }
    if (path.startsWith("/control/")) return this.#control.handle({ ...routed, path: path.slice("/control/".length) });
    return this.#nemoGym.handle(routed) || this.#ors.handle(routed) || this.#tasks(routed);
  }

  close(): void {
    this.#ors.close();
    this.#nemoGym.stop();
  }

  #tasks({ request, response, path }: RoutedRequest): boolean {
    const [, name, route, ...more] = path.split("/");
    if (name !== this.#environment.name || more.length > 0) return false;
    if (route === "splits" && request.method === "GET") {
      void answerWith({ response, server: this.#environment }, () => splitsOf(this.#environment));
      return true;
    }
    if (!taskRoutes.includes(route as TaskRoute) || request.method !== "POST") return false;
    void answerWith({ response, server: this.#environment }, async () =>
      answerTasks(this.#environment, route as TaskRoute, await readJson(request, { maxBytes: this.#maxBodyBytes })),
    );
    return true;
  }
}

export interface TrainerOptions extends Required<Pick<ServeOptions, "orsRewards">> {
  readonly maxBodyBytes: number;
  readonly maxSessions: number;
  /** Further environments for clients that choose one by its name. */
  readonly siblings: readonly Environment[];
}
