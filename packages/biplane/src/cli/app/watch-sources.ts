import { dirname, extname, relative, sep } from "node:path";

export interface SourceWatch extends AsyncDisposable {
  /** Also watches these files, and the folders of these modules. */
  add(files: readonly string[], modules?: readonly string[]): void;
}

/** Watches the folders of modules, and added files. Reports changes within 60 ms as one. */
export async function watchSources(
  modules: readonly string[],
  onChange: (files: readonly string[]) => void,
): Promise<SourceWatch> {
  const { watch } = await import("chokidar");
  const folders = new Set(modules.map((file) => dirname(file)));
  const named = new Set(modules);
  // Editors replace files, and a file may not exist yet: only its folder notices that.
  const parents = new Set<string>();
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch([...folders], {
    ignored: (path, stats) => {
      if (named.has(path) || parents.has(path)) return false;
      const folder = [...folders].find((each) => path === each || path.startsWith(each + sep));
      if (folder === undefined || relative(folder, path).split(sep).some(isIgnored)) return true;
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
    }, debounceMs);
  });
  if (folders.size > 0) await new Promise<void>((resolve) => watcher.once("ready", resolve));
  return {
    add: (files, more = []) => {
      const fresh = files.filter((each) => !named.has(each));
      const freshFolders = more.map((file) => dirname(file)).filter((each) => !folders.has(each));
      for (const each of fresh) {
        named.add(each);
        parents.add(dirname(each));
      }
      for (const each of freshFolders) folders.add(each);
      const paths = [...fresh, ...fresh.map((each) => dirname(each)), ...freshFolders];
      if (paths.length > 0) watcher.add(paths);
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}

/** Editors may save several files, or one file in several steps. */
const debounceMs = 60;

/** Other files, such as JSON that the server itself writes, are watched only if imported. */
const kinds = new Set([".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".css", ".html", ".svg"]);

function isIgnored(name: string): boolean {
  return name === "node_modules" || name === "dist" || (name.startsWith(".") && name !== "." && name !== "..");
}
