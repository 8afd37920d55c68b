import type { IncomingMessage, ServerResponse } from "node:http";
import type { Environment } from "../environment/environment.ts";
import type { Principal } from "../tool/call.ts";
import { sendJson } from "../transport/http.ts";
import { EpisodeDoor } from "./control/episodes.ts";
import { EvalProtocolControl } from "./eval-protocol/control.ts";
import { answerWith, readJson } from "./http-json.ts";
import type { Seating } from "./mcp/seating.ts";
import { metadataOf, openApi, schemasOf } from "./openenv/describe.ts";
import { OpenEnvHttp } from "./openenv/http.ts";
import { answerTasks, splitsOf, taskRoutes } from "./openenv/tasks.ts";
import type { TaskRoute } from "./openenv/tasks.ts";

/** The doors of an environment that trainers come in by, over plain HTTP. Closed to agents. */
export class TrainerDoors {
  readonly #environment: Environment;
  readonly #openEnv: OpenEnvHttp;
  readonly #control: EvalProtocolControl;
  readonly #episodes: EpisodeDoor;
  readonly #maxBodyBytes: number;

  constructor(environment: Environment, seating: Seating, maxBodyBytes: number) {
    this.#environment = environment;
    this.#openEnv = new OpenEnvHttp(environment, maxBodyBytes);
    this.#control = new EvalProtocolControl(environment, seating, maxBodyBytes);
    this.#episodes = new EpisodeDoor(environment, maxBodyBytes);
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** Answers, or says false where the path is no trainer's. */
  handle(request: IncomingMessage, response: ServerResponse, path: string, principal: Principal): boolean {
    switch (`${request.method} ${path}`) {
      case "POST /reset":
        void this.#openEnv.reset(request, response);
        return true;
      case "POST /step":
        void this.#openEnv.step(request, response, principal);
        return true;
      case "GET /state":
        void this.#openEnv.state(request, response);
        return true;
      case "GET /schema":
        return send(response, schemasOf(this.#environment));
      case "GET /metadata":
        return send(response, metadataOf(this.#environment));
      case "GET /openapi.json":
        return send(response, openApi(this.#environment));
      case "GET /list_environments":
        return send(response, [this.#environment.name]);
      default:
    }
    if (path.startsWith("/control/episodes")) {
      this.#episodes.handle(request, response, path.slice("/control/episodes".length));
      return true;
    }
    if (path.startsWith("/control/")) return this.#control.handle(request, response, path.slice("/control/".length));
    return this.#tasks(request, response, path);
  }

  #tasks(request: IncomingMessage, response: ServerResponse, path: string): boolean {
    const [, name, route, ...more] = path.split("/");
    if (name !== this.#environment.name || more.length > 0) return false;
    if (route === "splits" && request.method === "GET") {
      void answerWith(response, () => splitsOf(this.#environment));
      return true;
    }
    if (!taskRoutes.includes(route as TaskRoute) || request.method !== "POST") return false;
    void answerWith(response, async () =>
      answerTasks(this.#environment, route as TaskRoute, await readJson(request, this.#maxBodyBytes)),
    );
    return true;
  }
}

function send(response: ServerResponse, body: object): true {
  sendJson(response, 200, JSON.stringify(body));
  return true;
}
