import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, extname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { BiplaneError, messageOf } from "../errors.ts";

/** The source of an app's page: exactly one of these. */
export type PageSource =
  | { readonly html: string; readonly file?: undefined; readonly entry?: undefined }
  /** A self-contained HTML file. */
  | { readonly file: string | URL; readonly html?: undefined; readonly entry?: undefined }
  /** A TypeScript or JavaScript file that esbuild bundles into one page. */
  | { readonly entry: string | URL; readonly html?: undefined; readonly file?: undefined };

export interface AppPage {
  readonly name: string;
  readonly html: string;
}

/** Loads or bundles the page now, because the app's URI contains its hash. */
export function loadAppPage(source: PageSource): AppPage {
  const given = [source.html, source.file, source.entry].filter((each) => each !== undefined);
  if (given.length !== 1) throw wrong("Give exactly one of html, file and entry.");
  if (source.html !== undefined) return { name: "app", html: checked(source.html, "html") };
  const path = pathOf(source.file ?? source.entry);
  const html = source.file === undefined ? bundled(path) : checked(read(path), path);
  return { name: nameOf(path), html };
}

function nameOf(path: string): string {
  const name = basename(path, extname(path))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-");
  return name.replace(/^[^a-z0-9]+/, "").slice(0, 64) || "app";
}

function checked(html: string, where: string): string {
  if (/<[a-z!]/i.test(html)) return html;
  throw wrong(`${where} is not HTML.`);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw wrong(`${path} cannot be read: ${messageOf(error)}`);
  }
}

function bundled(path: string): string {
  const bundler = esbuild();
  let files: readonly { readonly path: string; readonly text: string }[];
  try {
    files = bundler.buildSync({
      entryPoints: [path],
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
      target: "es2022",
      outdir: "out",
      logLevel: "silent",
      loader: { ".svg": "dataurl", ".png": "dataurl", ".woff2": "dataurl" },
      // When Biplane runs from source, resolve its own imports to source too.
      conditions: import.meta.url.endsWith(".ts") ? ["biplane-source"] : [],
    }).outputFiles;
  } catch (error) {
    throw wrong(`${path} cannot be bundled: ${messageOf(error)}`);
  }
  const textOf = (extension: string) => files.find((file) => file.path.endsWith(extension))?.text ?? "";
  // Escape the end tag in CSS; esbuild does the same for scripts.
  const style = textOf(".css").replaceAll("</style", "<\\/style");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${style}</style>
</head>
<body>
<script type="module">${textOf(".js")}</script>
</body>
</html>
`;
}

interface Esbuild {
  buildSync(options: object): { readonly outputFiles: readonly { readonly path: string; readonly text: string }[] };
}

/** An optional peer dependency, resolved from the program's folder or from here. */
function esbuild(): Esbuild {
  for (const from of [resolve(process.cwd(), "package.json"), import.meta.url]) {
    try {
      return createRequire(from)("esbuild") as Esbuild;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw new BiplaneError(
    "INVALID_DEFINITION",
    "An app with entry needs esbuild. Run npm install esbuild, or use file or html instead.",
  );
}

function pathOf(source: string | URL): string {
  return source instanceof URL || source.startsWith("file:") ? fileURLToPath(source) : resolve(source);
}

function wrong(why: string): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", `Invalid app: ${why}`);
}
