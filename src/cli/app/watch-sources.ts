import { dirname, extname, relative, sep } from "node:path";

export interface SourceWatch extends AsyncDisposable {
  /** Watches these too, wherever they are. */
  add(files: readonly string[]): void;
}

/** Watches what lies around a module, and what else it is made of; changes of the same moment are told together. */
export async function watchSources(file: string, onChange: (files: readonly string[]) => void): Promise<SourceWatch> {
  const { watch } = await import("chokidar");
  const folder = dirname(file);
  const named = new Set([file]);
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folder, {
    ignored: (path, stats) => {
      if (named.has(path)) return false;
      if (relative(folder, path).split(sep).some(isAside)) return true;
      return stats?.isFile() === true && !kinds.has(extname(path));
    },
    depth: 4,
    followSymlinks: false,
    ignoreInitial: true,
    ignorePermissionErrors: true,
  });
  watcher.on("all", (_, path) => {
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const files = [...changed];
      changed.clear();
      onChange(files);
    }, togetherMs);
  });
  await new Promise<void>((resolve) => watcher.once("ready", resolve));
  return {
    add: (files) => {
      const fresh = files.filter((each) => !named.has(each));
      for (const each of fresh) named.add(each);
      if (fresh.length > 0) watcher.add(fresh);
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}

/** An editor that saves several files, or one in several goes, is one change. */
const togetherMs = 60;

/** What a server may write beside its source, such as JSON, is watched only where it is imported. */
const kinds = new Set([".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".css", ".html", ".svg"]);

function isAside(name: string): boolean {
  return name === "node_modules" || name === "dist" || (name.startsWith(".") && name !== "." && name !== "..");
}
