import { readFileSync, readdirSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { DoorAnswer, PageDoor } from "../server/doors.ts";

export interface PageDoorOptions {
  /** The folder of the built page. */
  readonly folder?: string;
  /** Where apps run, such as `http://*.localhost:8000`: what the page may frame. */
  readonly frames?: string | undefined;
}

/**
 * The page at `/`, from memory: its few files are read once, nothing else can be asked for, and it may neither load from
 * elsewhere nor be framed.
 */
export function pageDoor({ folder = builtPage(), frames }: PageDoorOptions = {}): PageDoor {
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
    Array.from(files, ([path, bytes]): [string, DoorAnswer] => {
      // What has a hash in its name never changes; the page itself says which those are.
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
  const packed = new Map<string, DoorAnswer>();
  return {
    answer: (path, encodings = "") => {
      const plain = answers.get(path);
      if (!plain) return path === "/" ? notBuilt : undefined;
      if (!/\bgzip\b/.test(encodings)) return plain;
      const known = packed.get(path) ?? gzipped(plain);
      packed.set(path, known);
      return known;
    },
  };
}

function gzipped({ status, headers, bytes = new Uint8Array() }: DoorAnswer): DoorAnswer {
  return {
    status,
    headers: { ...headers, "content-encoding": "gzip", vary: "accept-encoding" },
    bytes: gzipSync(bytes),
  };
}

/** Beside the bundled program, or where the build puts it. */
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

const notBuilt: DoorAnswer = {
  status: 503,
  headers: { "content-type": "text/plain; charset=utf-8" },
  bytes: Buffer.from("The page is not built: npm run build\n"),
};
