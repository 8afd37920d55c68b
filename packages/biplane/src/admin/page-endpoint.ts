import { readFileSync, readdirSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { EndpointResponse, PageEndpoint } from "@biplane/core/internal";

export interface PageEndpointOptions {
  /** Folder of the built page. */
  readonly folder?: string;
  /** Origins of apps that the page may frame, such as `http://*.localhost:8000`. */
  readonly frames?: string | undefined;
}

/**
 * Serves the page at `/` from memory. Only its own files are served, and its CSP allows neither external resources nor
 * framing.
 */
export function pageEndpoint({ folder = builtPage(), frames }: PageEndpointOptions = {}): PageEndpoint {
  const files = readAll(folder);
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    `frame-src ${frames ?? "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  const answers = new Map(
    Array.from(files, ([path, bytes]): [string, EndpointResponse] => {
      // Files with a hash in their name never change.
      const cache = path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
      const type = types[extname(path)] ?? "application/octet-stream";
      return [
        path === "/index.html" ? "/" : path,
        {
          status: 200,
          headers: { "content-type": type, "content-security-policy": policy, "cache-control": cache },
          bytes,
        },
      ];
    }),
  );
  const compressed = new Map<string, EndpointResponse>();
  return {
    handle: (path, encodings = "") => {
      const plain = answers.get(path);
      if (!plain) return path === "/" ? notBuilt : undefined;
      if (!/\bgzip\b/.test(encodings)) return plain;
      const known = compressed.get(path) ?? gzipped(plain);
      compressed.set(path, known);
      return known;
    },
  };
}

function gzipped({ status, headers, bytes = new Uint8Array() }: EndpointResponse): EndpointResponse {
  return {
    status,
    headers: { ...headers, "content-encoding": "gzip", vary: "accept-encoding" },
    bytes: gzipSync(bytes),
  };
}

/** Next to the bundled program, or in the build folder. */
function builtPage(): string {
  const here = import.meta.url;
  return fileURLToPath(new URL(here.endsWith(".ts") ? "../../dist/page/" : "./page/", here));
}

function readAll(folder: string): Map<string, Uint8Array> {
  try {
    const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return new Map(
      all.map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [`/${relative(folder, path).split(sep).join("/")}`, readFileSync(path)];
      }),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Map();
    throw error;
  }
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

const notBuilt: EndpointResponse = {
  status: 503,
  headers: { "content-type": "text/plain; charset=utf-8" },
  bytes: Buffer.from("The page is not built. Run npm run build.\n"),
};
