import { callerOf } from "../../call/caller-of.ts";
import type { Change } from "../../server/catalog.ts";
import { invalidParams } from "./call-tool.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { metaKey, rpcCode } from "../../protocol/protocol.ts";
import { ownerOf } from "./tasks.ts";
import { isObject, notification } from "../../protocol/rpc.ts";
import type { Params } from "../../protocol/rpc.ts";

/** The open `subscriptions/listen` requests of an endpoint. */
export class Subscriptions {
  readonly #open = new Set<Subscription>();

  /** Serves a listen request until its client or this server ends it. */
  listen(endpoint: Endpoint, exchange: Exchange): Answer | Promise<Answer> {
    const wanted = exchange.params["notifications"];
    if (!isObject(wanted)) return invalidParams("notifications must say what to listen for");
    const caller = callerOf(exchange.principal);
    const theirs = [...this.#open].filter((each) => each.caller === caller).length;
    if (this.#open.size >= maxSubscriptions || theirs >= maxOfOne) {
      return { fault: { code: rpcCode.server, message: "Too many subscriptions are open" } };
    }
    const honoured = readFilter(wanted);
    for (const uri of honoured.resourceSubscriptions ?? []) endpoint.server.findResource(uri)?.resource.watch?.(uri);
    const tag = { [metaKey.subscriptionId]: exchange.id };
    const send = (method: string, params: Params) =>
      exchange.line.send(notification(method, { ...params, _meta: tag }));
    send("notifications/subscriptions/acknowledged", { notifications: honoured });
    return new Promise((resolve) => {
      const end = (answer: Answer) => {
        this.#open.delete(subscription);
        resolve(answer);
      };
      const subscription = {
        filter: honoured,
        caller,
        owner: ownerOf(exchange),
        send,
        close: () => end({ result: endpoint.encoder.result("modern", { _meta: tag }) }),
      };
      this.#open.add(subscription);
      exchange.running = { cancel: () => end("silence") };
    });
  }

  /** Passes a change of the server on to those who asked for it. */
  publish(change: Change): void {
    for (const { filter, send } of this.#open) {
      if (change === "tools" && filter.toolsListChanged) send("notifications/tools/list_changed", {});
      else if (change === "prompts" && filter.promptsListChanged) send("notifications/prompts/list_changed", {});
      else if (change === "resources" && filter.resourcesListChanged) send("notifications/resources/list_changed", {});
      else if (typeof change === "object" && filter.resourceSubscriptions?.includes(change.resource)) {
        send("notifications/resources/updated", { uri: change.resource });
      }
    }
  }

  /** To know a task's id is not enough: it must be one's own. */
  publishTask(task: Params, { taskId, owner }: { taskId: string; owner: string }): void {
    for (const each of this.#open)
      if (each.owner === owner && each.filter.taskIds?.includes(taskId)) each.send("notifications/tasks", task);
  }

  close(): void {
    for (const subscription of this.#open) subscription.close();
  }
}

interface Subscription {
  readonly filter: Filter;
  /** Whom it is counted against. */
  readonly caller: string;
  /** Whose tasks it may tell of. */
  readonly owner: string;
  readonly send: (method: string, params: Params) => void;
  readonly close: () => void;
}

interface Filter extends Params {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
  readonly taskIds?: readonly string[];
}

const maxSubscriptions = 1024;
const maxOfOne = 128;

/** The part of what was asked for that we serve. */
function readFilter(wanted: Params): Filter {
  const flags = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"].filter(
    (flag) => wanted[flag] === true,
  );
  const lists = ["resourceSubscriptions", "taskIds"].flatMap((key) => {
    const values = strings(wanted[key]);
    return values.length > 0 ? [[key, values] as const] : [];
  });
  return { ...Object.fromEntries(flags.map((flag) => [flag, true])), ...Object.fromEntries(lists) };
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string").slice(0, 1000) : [];
}
