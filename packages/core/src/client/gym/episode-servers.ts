import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BiplaneError } from "../../errors.ts";
import type { MountOptions } from "../../server/mount.ts";
import { ServerCore } from "../../server/server-core.ts";
import type { JsonObject } from "../../tool/schema.ts";
import { connectAll } from "../config/connect-all.ts";
import type { ServerEntry } from "../config/server-entry.ts";
import type { RemoteOptions } from "../mount/remote-server.ts";
import type { ToolResult } from "../results.ts";
import { resultOf } from "../adapters/tool-source.ts";
import { LiveCall } from "../../call/live-call.ts";

export interface EpisodeServersOptions extends MountOptions, RemoteOptions {
  readonly servers: Readonly<Record<string, ServerEntry>>;
  readonly signal?: AbortSignal;
  /** Called for each server that could not be connected (default: the episode fails). */
  readonly onFailure?: (name: string, error: BiplaneError) => void;
}

/** Placeholder for the episode's folder in `args`, `env` and `cwd` of an entry. */
export const episodeFolder = "${episodeFolder}";

/** One episode's connected servers and its temporary folder. */
export class EpisodeServers implements AsyncDisposable {
  readonly server: ServerCore;
  /** Created empty; deleted when the episode ends. */
  readonly folder: string;
  /** Names of the connected servers. */
  reached: ReadonlySet<string> = new Set();

  private constructor(server: ServerCore, folder: string) {
    this.server = server;
    this.folder = folder;
  }

  static async open(name: string, { servers, onFailure, ...options }: EpisodeServersOptions): Promise<EpisodeServers> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "biplane-episode-")));
    const server = new ServerCore({ name, version: "0", limits: false, onFault: () => undefined });
    const opened = new EpisodeServers(server, folder);
    let failed: BiplaneError | undefined;
    try {
      const entries = Object.entries(servers).map(([each, entry]) => [each, withFolder(entry, folder)] as const);
      const fail = (each: string, error: BiplaneError) => {
        if (onFailure) onFailure(each, error);
        else failed ??= new BiplaneError(error.code, `${each}: ${error.message}`, { cause: error });
      };
      const mounted = await connectAll(server, Object.fromEntries(entries), { ...options, onFailure: fail });
      opened.reached = new Set(mounted.keys());
      if (failed) throw failed;
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  /** Calls a tool without adding the call to the transcript. */
  async call(tool: string, input: JsonObject = {}): Promise<ToolResult> {
    const agent = { agentId: "judge", model: undefined, requestId: crypto.randomUUID(), metadata: {} };
    const principal = { kind: "local", id: "judge", scopes: [] } as const;
    return resultOf(await this.server.perform(new LiveCall({ tool, input, route: "direct", agent, principal })));
  }

  async close(): Promise<void> {
    await this.server.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function withFolder(entry: ServerEntry, folder: string): ServerEntry {
  const put = (text: string) => text.replaceAll(episodeFolder, folder);
  const each = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, put(value)]));
  return {
    ...entry,
    ...(entry.args && { args: entry.args.map(put) }),
    ...(entry.env && { env: each(entry.env) }),
    ...(entry.cwd !== undefined && { cwd: put(entry.cwd) }),
  };
}
