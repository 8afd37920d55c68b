import type { Hooks } from "../call/hooks.ts";
import type { Meter } from "../call/meter.ts";
import type { Policy } from "../call/policy.ts";
import type { RemoteOptions } from "../client/mount/remote-server.ts";
import type { Tool } from "../tool/tool.ts";
import type { CatalogChange, CatalogItem } from "./catalog.ts";
import type { Listening, ServeOptions } from "./listening.ts";
import type { Mountable, MountOptions } from "./mount.ts";
import type { Governance, ServerOptions } from "./options.ts";
import type { Pack } from "./pack.ts";
import type { Prompt } from "./prompt.ts";
import type { Resource } from "./resource.ts";
import type { Skill } from "./skill.ts";
import { ServerCore } from "./server-core.ts";
import type { RemoteTarget } from "./mount-target.ts";
import type { DirectCallOptions } from "./direct-call.ts";

/** Tools, resources, prompts, policies and hooks under one name. Two servers share nothing. */
export interface Server extends Mountable, AsyncDisposable {
  readonly name: string;
  readonly version: string;
  readonly tools: Iterable<Tool>;
  readonly resources: Iterable<Resource>;
  readonly prompts: Iterable<Prompt>;
  readonly skills: Iterable<Skill>;
  /** The tool of that name. */
  find(name: string): Tool | undefined;
  /** Adds a policy. Every policy must allow a call. */
  policy(policy: Policy): this;
  /**
   * Applies an operator's rules to a server that may be someone else's. Policies, hooks, meters and secrets are added to
   * its own; the other settings replace its own.
   */
  govern(rules: Governance): this;
  /** Adds hooks that see every call begin and end. */
  watch(hooks: Hooks): this;
  /** Adds a meter. It costs less than a hook, because it gets no copies. */
  measure(meter: Meter): this;
  /**
   * Offers another server's tools, resources and prompts as this server's own. A server in this process is called
   * directly; a URL or a command through a client, once the promise resolves. Policies and secrets of both apply;
   * limits, approval, audit and hooks are this server's.
   */
  mount(name: string, target: Mountable | Pack, options?: MountOptions): this;
  mount(name: string, target: RemoteTarget, options?: MountOptions & RemoteOptions): Promise<this>;
  /** Adds a tool, resource, prompt or skill while running and notifies clients. */
  add(item: CatalogItem | Skill): this;
  /** Removes a tool, resource, prompt or skill. Returns false if it was not there. */
  remove(item: CatalogItem | Skill): boolean;
  /** Notifies subscribers that the content of a resource has changed. */
  updated(uri: string): void;
  /** Calls `listener` on every change until the returned function is called. */
  onChange(listener: (change: CatalogChange) => void): () => void;
  /** Calls a tool from this process through the same checks as any other call. Throws if the call fails. */
  call(tool: string, input?: unknown, options?: DirectCallOptions): Promise<unknown>;
  /**
   * Listens on `"stdio"`, `"http://host:port"` or `"ws://host:port"` (default: `http://127.0.0.1:8000`). May be called
   * several times.
   */
  serve(target?: string | ServeOptions): Promise<Listening>;
  /** Stops listening everywhere and lets running calls finish. */
  close(): Promise<void>;
}

/** Defines a server with tools, resources and prompts. `serve` and `call` are its entry points. */
export function server(options: ServerOptions): Server {
  return new ServerCore(options);
}
