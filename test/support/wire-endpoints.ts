import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { controlReaders } from "../../packages/core/src/wire/eval-protocol/control.ts";
import { legacyMethods, modernMethods } from "../../packages/core/src/wire/mcp/endpoint.ts";
import { nemoRoutes } from "../../packages/core/src/wire/nemo-gym/endpoint.ts";
import { orsEnvironmentRoutes, orsRootRoutes } from "../../packages/core/src/wire/ors/routes.ts";
import { frameTypes } from "../../packages/core/src/wire/openenv/socket.ts";
import { taskRoutes } from "../../packages/core/src/wire/openenv/tasks.ts";
import { adminApi } from "../../packages/biplane/src/admin/contract.ts";

/**
 * Every endpoint of every wire by its name, as the program has them, so that a test that must cover all of them fails
 * for a new one. Routes that the program decides by comparing text are found in its source.
 */
export const wireEndpoints: readonly string[] = [
  ...Array.from(modernMethods.keys(), (method) => `MCP 2026-07-28 ${method}`),
  ...["initialize", "notifications/cancelled", ...legacyMethods.keys()].map((method) => `MCP 2025-11-25 ${method}`),
  ...literals("openenv/sessions.ts", /"(openenv\/[\w/]+)"/g).map((method) => `MCP dialect ${method}`),
  ...frameTypes.map((type) => `/ws ${type}`),
  ...Object.keys(controlReaders).map((name) => `GET /control/${name}`),
  ...literals("eval-protocol/control.ts", /name === "(\w+)"/g).map((name) => `POST /control/${name}`),
  ...["splits", ...taskRoutes].map((route) => `/<environment>/${route}`),
  ...Object.entries({ ...orsRootRoutes, ...orsEnvironmentRoutes }).map(([route, method]) => `${method} /ors/${route}`),
  ...Object.entries({ ...nemoRoutes, echo: "POST" }).map(([route, method]) => `${method} /nemo-gym/${route}`),
  ...literals("control/episodes.ts", /"((?:GET|POST|DELETE) (?:all|one)[ \w]*)"/g).map(
    (name) => `/control/episodes ${name}`,
  ),
  ...literals("trainer.ts", /"((?:GET|POST|DELETE) \/[\w/]+)"/g),
  ...["server-routes.ts", "serve-http.ts", "openenv/describe.ts"].flatMap((file) =>
    literals(file, /case "(\/[\w/.]+)"|path === "(\/[\w/.]+)"/g),
  ),
  ...Object.keys(adminApi),
].filter((name, at, all) => all.indexOf(name) === at);

function literals(file: string, pattern: RegExp): string[] {
  const folder = fileURLToPath(new URL("../../packages/core/src/wire/", import.meta.url));
  return Array.from(
    readFileSync(folder + file, "utf8").matchAll(pattern),
    ([, first, second]) => first ?? second ?? "",
  );
}

/** The files of the wire that compare paths. A new one belongs into the list above. */
export function routingFiles(): string[] {
  const folder = fileURLToPath(new URL("../../packages/core/src/wire/", import.meta.url));
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(
      (file) =>
        file.endsWith(".ts") &&
        /case "(?:[A-Z]+ )?\/|path === "\/|"(?:GET|POST|DELETE) (?:all|one)/.test(readFileSync(folder + file, "utf8")),
    )
    .sort();
}
