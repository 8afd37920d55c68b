import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Which rooms a room may import from. Everyone may import `errors`; nothing else may be added without a reason. */
const arrows: Record<string, readonly string[]> = {
  errors: [],
  index: ["tool", "call", "server", "store", "environment"],
  protocol: [],
  tool: [],
  store: [],
  call: ["tool", "store"],
  server: ["call", "tool", "store", "client", "wire"], // wire: only `serve`; client: only mounts; both when asked for
  transport: [],
  wire: ["transport", "protocol", "server", "environment", "call", "tool", "store"],
  client: ["transport", "protocol", "server", "environment", "call", "tool", "config", "wire"], // wire: only a server in this process, when asked for
  environment: ["server", "call", "tool", "wire"], // wire: only `serve`, loaded when asked for
  gallery: ["environment", "tool", "server", "app"],
  app: ["tool", "protocol"],
  desk: [
    "admin",
    "app",
    "server",
    "environment",
    "rollout",
    "pack",
    "code",
    "call",
    "tool",
    "store",
    "protocol",
    "transport",
    "config",
    "wire", // only when asked for: the ways by which a tool is tried out
  ],
  admin: ["call", "store", "tool", "server"], // server: what doors and callers look like
  observe: ["call", "server", "tool", "transport"],
  code: ["call", "tool", "server", "store", "starlark"],
  pack: ["tool", "call", "server", "code", "starlark", "app"],
  config: ["call", "tool"],
  rollout: ["client", "protocol", "environment", "store", "server", "call", "tool", "code"],
  starlark: [],
  cli: [
    "wire",
    "server",
    "call",
    "tool",
    "store",
    "transport",
    "protocol",
    "environment",
    "gallery",
    "starlark",
    "admin",
    "client",
    "code",
    "config",
    "observe",
    "pack",
    "rollout",
    "app",
    "desk",
  ],
};

const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".ts"),
);

test("every room imports only from the rooms it may", () => {
  const wrong = files.flatMap((file) => {
    const room = roomOf(file);
    const allowed = arrows[room];
    if (!allowed) return [`${file}: the room ${room} is not in the table`];
    return importsOf(file).flatMap(({ target, isLazy }) => {
      const other = roomOf(target);
      if (other === room || other === "errors" || allowed.includes(other)) {
        return other === "wire" && !["wire", "cli"].includes(room) && !isLazy
          ? [`${file} → ${target} must be a lazy import`]
          : [];
      }
      return [`${file} → ${target}`];
    });
  });
  expect(wrong).toEqual([]);
});

test("only what the package exports re-exports, and by name", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, { "biplane-source"?: string }>;
  };
  const entries = Object.values(manifest.exports).map((entry) => entry["biplane-source"]?.replace("./src/", ""));
  const barrels = files.filter((file) => /^export (\*|(type )?\{[^}]*\}) from /m.test(source(file)));
  expect(barrels.filter((file) => !entries.includes(file))).toEqual([]);
  for (const barrel of barrels) expect(source(barrel)).not.toContain("export *");
});

test("importing biplane loads no SQLite, no WebSocket and no MCP SDK", () => {
  const eager = new Set<string>();
  const walk = (file: string) => {
    if (eager.has(file)) return;
    eager.add(file);
    for (const { target, isLazy } of importsOf(file)) if (!isLazy) walk(target);
  };
  walk("index.ts");
  const outside = [...eager].flatMap((file) => [...source(file).matchAll(/^import (?!type ).*from "([^."][^"]*)"/gm)]);
  expect(outside.map(([, name]) => name).filter((name) => !name?.startsWith("node:"))).toEqual([]);
});

function source(file: string): string {
  return readFileSync(join(root, "src", file), "utf8");
}

function roomOf(file: string): string {
  return (file.split("/")[0] ?? "").replace(/\.ts$/, "");
}

function importsOf(file: string): { target: string; isLazy: boolean }[] {
  const found = source(file).matchAll(/(?:^(?:import|export)[^;]*?from|(\bimport)\()\s*"(\.[^"]+)"/gm);
  return [...found].map(([, lazy, path = ""]) => ({
    target: relative(join(root, "src"), resolve(join(root, "src", dirname(file)), path)),
    isLazy: lazy !== undefined,
  }));
}
