import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

/**
 * Puts all that one entry imports into one chunk. esbuild makes a chunk for each set of entries that share code, and
 * counts what is imported lazily as entries too, so that what a program needs at its start would be in dozens of small
 * files. Here, every entry imports the named one, which most of them need anyway: then they all share it as a whole.
 */
export function oneChunk(shared) {
  const entries = new Set();
  return {
    name: "one-chunk",
    setup(build) {
      // Resolved here, nothing counts as free of side effects, which would allow esbuild to drop the added import.
      build.onResolve({ filter: /^[./]/ }, ({ kind, path, resolveDir }) => {
        const found = resolve(resolveDir, path);
        if (kind === "entry-point" || kind === "dynamic-import") entries.add(found);
        return { path: found };
      });
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!entries.has(path) || path === shared) return undefined;
        const added = JSON.stringify(`./${relative(dirname(path), shared)}`);
        // At the end, so that the source map's lines stay the same. Imports are evaluated first wherever they are.
        return {
          contents: `${readFileSync(path, "utf8")}\nimport ${added};\n`,
          loader: "ts",
          resolveDir: dirname(path),
        };
      });
    },
  };
}
