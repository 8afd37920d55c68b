import { callerOf, chargedTo } from "../../call/caller-of.ts";
import { Shares } from "../../call/shares.ts";
import type { CatalogChange } from "../../server/catalog.ts";
import { BiplaneError } from "../../errors.ts";
import { invalidParams } from "./call-tool.ts";
import { plainFaultFor } from "./encode.ts";
import type { Endpoint } from "./endpoint.ts";
import type { McpAnswer, Exchange } from "./exchange.ts";
import { metaKey } from "../../protocol/protocol.ts";
import { ownerOf } from "./tasks.ts";
import type { TaskListener } from "./tasks.ts";
import { notification } from "../../protocol/rpc.ts";
import type { Params } from "../../protocol/rpc.ts";
import { isRecord } from "../../is-record.ts";

/** The open `subscriptions/listen` requests of an endpoint. */
export class McpSubscriptions implements TaskListener {
  readonly #open = new Set<Subscription>();

  /** Serves a listen request until the client or the server ends it. */
  listen(endpoint: Endpoint, exchange: Exchange): McpAnswer | Promise<McpAnswer> {
    const requested = exchange.params["notifications"];
    if (!isRecord(requested)) return invalidParams("notifications must be an object");
    const caller = callerOf(exchange.principal);
    const openByCaller = [...this.#open].filter((each) => each.caller === caller).length;
    if (this.#open.size >= maxSubscriptions || openByCaller >= subscriptionsPerCaller) {
      const error = new BiplaneError("CAPACITY", "Too many subscriptions are open");
      return { fault: plainFaultFor(exchange.era, error) };
    }
    const filter = readFilter(requested);
    if (filter.taskIds) endpoint.hearTasks();
    const share = subscriptionBytes.open(chargedTo(exchange.principal));
    const full = share.resize(JSON.stringify(filter).length);
    if (full) return { fault: plainFaultFor(exchange.era, full) };
    for (const uri of filter.resourceSubscriptions ?? []) endpoint.server.findResource(uri)?.resource.watch?.(uri);
    const tag = { [metaKey.subscriptionId]: exchange.id };
    const send = (method: string, params: Params) =>
      exchange.channel.send(notification(method, { ...params, _meta: tag }));
    const acknowledged = endpoint.server.redactor?.value(filter) ?? filter;
    send("notifications/subscriptions/acknowledged", { notifications: acknowledged });
    return new Promise((resolve) => {
      const end = (answer: McpAnswer) => {
        this.#open.delete(subscription);
        share.release();
        resolve(answer);
      };
      const subscription = {
        filter,
        caller,
        owner: ownerOf(exchange),
        send,
        close: () => end({ result: endpoint.encoder.result("modern", { _meta: tag }) }),
      };
      this.#open.add(subscription);
      exchange.running = { cancel: () => end("no-response") };
    });
  }

  /** Sends a change to the subscriptions that asked for it. */
  publish(change: CatalogChange): void {
    for (const { filter, send } of this.#open) {
      if (change === "tools" && filter.toolsListChanged) send("notifications/tools/list_changed", {});
      else if (change === "prompts" && filter.promptsListChanged) send("notifications/prompts/list_changed", {});
      else if (change === "resources" && filter.resourcesListChanged) send("notifications/resources/list_changed", {});
      else if (typeof change === "object" && filter.resourceSubscriptions?.includes(change.resource)) {
        send("notifications/resources/updated", { uri: change.resource });
      }
    }
  }

  /** Sends a task only to its owner: knowing its id is not enough. */
  readonly onTask: TaskListener["onTask"] = (task, { taskId, owner }) => {
    for (const each of this.#open)
      if (each.owner === owner && each.filter.taskIds?.includes(taskId)) each.send("notifications/tasks", task);
  };

  readonly wants: TaskListener["wants"] = (taskId) => {
    for (const { filter } of this.#open) if (filter.taskIds?.includes(taskId)) return true;
    return false;
  };

  close(): void {
    for (const subscription of this.#open) subscription.close();
  }
}

interface Subscription {
  readonly filter: Filter;
  /** The key for `subscriptionsPerCaller`. */
  readonly caller: string;
  /** Only tasks of this owner are sent. */
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

/** What subscriptions name, such as URIs. */
export const subscriptionBytes = new Shares("bytes of subscriptions", { perCaller: 4 * 2 ** 20, total: 64 * 2 ** 20 });
export const maxSubscriptions = 1024;
export const subscriptionsPerCaller = 128;

/** The supported part of the requested filter. */
function readFilter(requested: Params): Filter {
  const flags = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"].filter(
    (flag) => requested[flag] === true,
  );
  const lists = ["resourceSubscriptions", "taskIds"].flatMap((key) => {
    const values = strings(requested[key]);
    return values.length > 0 ? [[key, values] as const] : [];
  });
  return { ...Object.fromEntries(flags.map((flag) => [flag, true])), ...Object.fromEntries(lists) };
}

/** No resource or task has a longer name, so a subscription to one would never be told anything. */
const maxNameLength = 4096;

function strings(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item) => typeof item === "string" && item.length <= maxNameLength).slice(0, 1000);
}
