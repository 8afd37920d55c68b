import { randomUUID } from "node:crypto";
import { CombinedRedactor } from "../../call/redact/combined.ts";
import type { Environment } from "../../environment/environment.ts";
import { firstPrompt } from "../../environment/prompt.ts";
import type { FirstPrompt } from "../../environment/prompt.ts";
import { findTask } from "../../environment/task-catalog.ts";
import { messageOf } from "../../errors.ts";
import { isRecord } from "../../is-record.ts";
import { DetailError, answerDetail, invalidField, readFields, refuseOtherFields, sendDetail } from "../detail-error.ts";
import type { RoutedRequest } from "../routed-request.ts";
import { callInSession } from "../session-call.ts";
import { withoutAbsent } from "./absent-arguments.ts";
import { endOfCall, textBlock } from "./call.ts";
import type { OrsRewards } from "./call.ts";
import { orsSplits, orsTask, orsTaskCount, orsTaskRange, orsTasks, orsTools, taskAt } from "./catalog.ts";
import { OrsEvents, errorEnd, resultEnd } from "./events.ts";
import { findOrsRoute } from "./routes.ts";
import type { OrsPath, OrsRoute } from "./routes.ts";
import { OrsRuns } from "./runs.ts";
import type { OrsRun } from "./runs.ts";
import { OrsSessions, notActive } from "./sessions.ts";
import type { OrsSessionsOptions } from "./sessions.ts";

export interface OrsOptions extends OrsSessionsOptions {
  readonly maxBodyBytes: number;
  readonly rewards: OrsRewards;
}

/** The Open Reward Standard: tasks, sessions and streamed tool calls of environments. */
export class OrsEndpoint {
  readonly #environments: readonly Environment[];
  readonly #options: OrsOptions;
  readonly #sessions: OrsSessions;
  readonly #runs = new OrsRuns();
  readonly #redactors = new CombinedRedactor();

  /** The first environment is the one of paths that name none. */
  constructor(environments: readonly Environment[], options: OrsOptions) {
    this.#environments = environments;
    this.#options = options;
    this.#sessions = new OrsSessions(environments, options);
  }

  readonly #redactor = () => this.#redactors.of(this.#environments.map(({ redactor }) => redactor));

  /** Returns false if the path is not one of ORS. */
  handle(routed: RoutedRequest): boolean {
    const { request, response } = routed;
    const path = findOrsRoute(routed.path, request);
    if (!path) return false;
    if (path.route === "create_session" && path.method === request.method) this.#createSession(routed);
    else if (path.route === "call" && path.method === request.method) void this.#call(routed, path);
    else void answerDetail({ response, redactor: this.#redactor }, () => this.#answer(routed, path));
    return true;
  }

  close(): void {
    this.#sessions.close();
  }

  async #answer(routed: RoutedRequest, path: OrsPath): Promise<unknown> {
    const { method, route } = path;
    if (routed.request.method !== method) throw new DetailError(405, "Method Not Allowed", { allow: method });
    const fields = method === "POST" ? await readFields(routed.request, this.#options.maxBodyBytes) : {};
    return this.#answers[route]?.({ ...routed, fields, named: path.environment });
  }

  readonly #answers: { readonly [Route in OrsRoute]?: (request: OrsRequest) => unknown } = {
    health: () => ({ status: "ok" }),
    version: (request) => ({ version: this.#environmentOf(request).version, build_sha: null }),
    list_environments: () => this.#environments.map(({ name }) => name),
    create: async (request) => ({ sid: await this.#create(request) }),
    ping: async (request) => {
      await this.#sessions.find(request);
      return { status: "ok" };
    },
    delete: async (request) => ({ sid: await this.#sessions.delete(request) }),
    delete_session: async (request) => ({ sid: await this.#sessions.delete(request) }),
    splits: (request) => orsSplits(this.#environmentOf(request)),
    num_tasks: (request) => orsTaskCount(this.#environmentOf(request), request.fields),
    task: (request) => orsTask(this.#environmentOf(request), request.fields),
    task_range: (request) => orsTaskRange(this.#environmentOf(request), request.fields),
    tasks: (request) => orsTasks(this.#environmentOf(request), request.fields),
    tools: (request) => orsTools(this.#environmentOf(request)),
    task_tools: async (request) => orsTools((await this.#find(request, request.named)).session.environment),
    prompt: async (request) => {
      const { system, user } = await this.#promptOf(request);
      return [...(system === undefined ? [] : [textBlock(system)]), textBlock(user)];
    },
    messages: async (request) => {
      const { system, user } = await this.#promptOf(request);
      const message = (role: string, text: string) => ({ role, blocks: [textBlock(text)], detail: null });
      return [...(system === undefined ? [] : [message("system", system)]), message("user", user)];
    },
    score_group: () => {
      throw new DetailError(404, "score_group is not supported");
    },
  };

  /** A session needs no memory before it has an episode: its id is made up here and comes back with `create`. */
  #createSession({ request, response }: RoutedRequest): void {
    request.resume();
    new OrsEvents(response, randomUUID()).end(resultEnd(""));
  }

  async #create(request: OrsRequest): Promise<string> {
    const { fields } = request;
    refuseOtherFields(fields, ["split", "index", "task_spec", "env_name", "toolset_name"]);
    const { env_name: name, task_spec: spec, toolset_name: toolset } = fields;
    if (toolset !== undefined && toolset !== null) throw new DetailError(400, "Biplane has no toolsets.");
    const environment = this.#environmentOf({ ...request, named: typeof name === "string" ? name : undefined });
    if (spec !== undefined && spec !== null && !isRecord(spec))
      throw invalidField(["task_spec"], { type: "dict_type", msg: "Input should be a valid dictionary", input: spec });
    const placed = await taskAt(environment, isRecord(spec) ? spec : fields);
    return this.#sessions.create(request, environment, placed);
  }

  async #promptOf(request: OrsRequest): Promise<FirstPrompt> {
    const { session, episode } = await this.#find(request, request.named);
    const { split, index } = session.info;
    return firstPrompt(episode, (await findTask(session.environment, split, index)).task);
  }

  /** The stream begins when the call does. From then on, only events can tell what went wrong. */
  async #call(routed: RoutedRequest, { environment }: OrsPath): Promise<void> {
    const { request, response } = routed;
    try {
      const fields = await readFields(request, this.#options.maxBodyBytes);
      refuseOtherFields(fields, ["name", "input", "task_id"]);
      const { name, input, task_id: taskId } = fields;
      if (typeof name !== "string")
        throw invalidField(["name"], { type: "string_type", msg: "Input should be a valid string", input: name });
      const found = await this.#find(routed, environment);
      if (typeof taskId === "string") {
        const known = this.#runs.find(found.session, taskId);
        if (known) return await stream(routed, known);
        return new OrsEvents(response, taskId.slice(0, 64).replaceAll(/[^\w-]/g, "")).end(errorEnd("unknown task_id"));
      }
      const schema = found.session.environment.server.find(name)?.input.json;
      await stream(routed, this.#begin(routed, found, { tool: name, input: withoutAbsent(input ?? {}, schema) }));
    } catch (error) {
      sendDetail(response, error, this.#redactor());
    }
  }

  #begin(
    { principal }: RoutedRequest,
    { session, episode }: Awaited<ReturnType<OrsSessions["find"]>>,
    action: { tool: string; input: unknown },
  ): OrsRun {
    return this.#runs.start(session, async () => {
      try {
        const made = await callInSession(session, episode, { ...action, principal, agentId: "openreward" });
        session.lastUsed = Date.now();
        return endOfCall(made, this.#options.rewards);
      } catch (error) {
        const message = messageOf(error);
        return errorEnd(this.#redactor()?.text(message) ?? message);
      }
    });
  }

  async #find(routed: RoutedRequest, named: string | undefined): ReturnType<OrsSessions["find"]> {
    const found = await this.#sessions.find(routed);
    const isOther = named !== undefined && found.session.environment !== this.#byName(named);
    if (isOther) throw notActive();
    return found;
  }

  /** The environment that a request names: in its path or body, or as the deployment that the client was made for. */
  #environmentOf({ named, request }: Pick<OrsRequest, "named" | "request">): Environment {
    if (named !== undefined) return this.#byName(named);
    const deployment = String(request.headers["x-deployment"] ?? "");
    const found = this.#environments.find(({ name }) => isSame(name, deployment.split("/").at(-1) ?? ""));
    return found ?? (this.#environments[0] as Environment);
  }

  #byName(named: string): Environment {
    const found = this.#environments.find(({ name }) => isSame(name, named));
    if (found) return found;
    throw new DetailError(404, `unknown environment '${named.slice(0, 64)}'`);
  }
}

/** A request with its body, and the environment that its path names. */
interface OrsRequest extends RoutedRequest {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly named: string | undefined;
}

/** Sends a call's end to one more connection. The call goes on if the connection does not. */
async function stream({ response }: RoutedRequest, { id, end }: OrsRun): Promise<void> {
  const events = new OrsEvents(response, id);
  events.end(await end);
}

/** Clients write names in lower case. */
function isSame(name: string, other: string): boolean {
  return name.toLowerCase() === other.toLowerCase();
}
