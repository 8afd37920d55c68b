import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BiplaneError } from "../../errors.ts";
import type { MountOptions } from "../../server/mount.ts";
import { Server } from "../../server/server.ts";
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
  /** Told of a server that could not be reached; left out, that is an error. */
  readonly onFailure?: (name: string, error: BiplaneError) => void;
}

/** Where `${episodeFolder}` may stand in an entry. */
export const episodeFolder = "${episodeFolder}";

/** The servers that one episode plays with, connected, and a folder of its own. */
export class EpisodeServers implements AsyncDisposable {
  readonly house: Server;
  /** Empty at first; gone when the episode ends. */
  readonly folder: string;
  /** The servers that were there, by name. */
  reached: ReadonlySet<string> = new Set();

  private constructor(house: Server, folder: string) {
    this.house = house;
    this.folder = folder;
  }

  static async open(name: string, { servers, onFailure, ...options }: EpisodeServersOptions): Promise<EpisodeServers> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "biplane-episode-")));
    const house = new Server({ name, version: "0", limits: false, onFault: () => undefined });
    const opened = new EpisodeServers(house, folder);
    let failed: BiplaneError | undefined;
    try {
      const entries = Object.entries(servers).map(([each, entry]) => [each, placed(entry, folder)] as const);
      const fail = (each: string, error: BiplaneError) => {
        if (onFailure) onFailure(each, error);
        else failed ??= new BiplaneError(error.code, `${each}: ${error.message}`, { cause: error });
      };
      const mounted = await connectAll(house, Object.fromEntries(entries), { ...options, onFailure: fail });
      opened.reached = new Set(mounted.keys());
      if (failed) throw failed;
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  /** Calls a tool beside the episode: nothing of it is in the transcript. */
  async call(tool: string, input: JsonObject = {}): Promise<ToolResult> {
    const agent = { agentId: "judge", model: undefined, requestId: crypto.randomUUID(), metadata: {} };
    const principal = { kind: "local", id: "judge", scopes: [] } as const;
    return resultOf(await this.house.perform(new LiveCall({ tool, input, route: "direct", agent, principal })));
  }

  async close(): Promise<void> {
    await this.house.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function placed(entry: ServerEntry, folder: string): ServerEntry {
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
