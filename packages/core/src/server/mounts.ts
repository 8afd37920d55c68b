import type { LiveCall } from "../call/live-call.ts";
import type { Scope } from "../call/scope.ts";
import type { Tool } from "../tool/tool.ts";
import type { CatalogItem } from "./catalog.ts";
import type { Mount } from "./mount.ts";

/** Everything that is mounted in one server. */
export class Mounts {
  readonly #mounts: Mount[] = [];

  add(mount: Mount): void {
    this.#mounts.push(mount);
  }

  get haveEpisodes(): boolean {
    return this.#mounts.some(({ child }) => child.hasEpisodes === true);
  }

  /** Tools of a mounted environment run in an episode of the caller. */
  episodeFor(tool: Tool, call: LiveCall): Scope | Promise<Scope> | undefined {
    for (const mount of this.#mounts) {
      if (!mount.child.hasEpisodes) continue;
      const original = mount.originalOf(tool);
      if (original && "run" in original) return mount.child.episodeFor?.(original, call);
    }
    return undefined;
  }

  /** The mount path of an item from a remote server, such as `a/b`; undefined for items of this process. */
  pathOf(item: CatalogItem): string | undefined {
    for (const mount of this.#mounts) {
      const original = mount.originalOf(item);
      if (!original) continue;
      if (!mount.child.mountPathOf) return mount.name;
      const within = mount.child.mountPathOf(original);
      return within === undefined ? undefined : `${mount.name}/${within}`;
    }
    return undefined;
  }
}
