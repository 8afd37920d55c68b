import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/**
 * Puts all that some files import into one chunk. esbuild makes a chunk for each set of entries that share code, and counts
 * what is imported lazily as entries too, so that what a program needs at its start would be in dozens of small files.
 * Here, entries import the named files, which most of them need anyway: then they all share them as a whole.
 *
 * Each of the `groups` has such files, and the entries that import them (default: all).
 */
export function oneChunk(source, groups) {
  const lazy = lazyImports(source);
  const importsOf = (path) =>
    groups
      .filter(({ entries }) => !entries || entries.some((entry) => join(source, entry) === path))
      .flatMap(({ files }) => files.map((file) => join(source, file)))
      .filter((file) => file !== path);
  return {
    name: "one-chunk",
    setup(build) {
      const entries = new Set([...lazy, ...Object.values(build.initialOptions.entryPoints)]);
      // Resolved here, nothing counts as free of side effects, which would allow esbuild to drop the added import.
      build.onResolve({ filter: /^[./]/ }, ({ path, resolveDir }) => ({ path: resolve(resolveDir, path) }));
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!entries.has(path)) return undefined;
        const imports = importsOf(path).map(
          (file) => `import ${JSON.stringify(`./${relative(dirname(path), file)}`)};\n`,
        );
        // At the end, so that the source map's lines stay the same. Imports are evaluated first wherever they are.
        return {
          contents: `${readFileSync(path, "utf8")}\n${imports.join("")}`,
          loader: "ts",
          resolveDir: dirname(path),
        };
      });
    },
  };
}

/** The files that some file imports when it needs them. */
function lazyImports(source) {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return files.flatMap((file) => {
    const found = readFileSync(join(source, file), "utf8").matchAll(/(?<!typeof )\bimport\("(\.[^"]+)"\)/g);
    return Array.from(found, ([, path]) => resolve(source, dirname(file), path));
  });
}
