import type { Served } from "@biplane/core";
import { cardText, isRecord, serverOf } from "@biplane/core/internal";
import { inputError } from "../command/exit-code.ts";

export interface ServerJsonOptions {
  /** `io.github.<user>/<name>`, or a reverse domain and a name. */
  readonly name: string;
  /** The parsed `package.json` of the npm package that starts the server over stdio, if there is one. */
  readonly manifest?: Readonly<Record<string, unknown>> | undefined;
  /** The public URL of a running server. */
  readonly url?: string | undefined;
  /** Environment variables with secrets that the package needs. */
  readonly secrets?: readonly string[];
}

/** The description of a server for the MCP registry, in its format `server.json` of 2025-12-11. */
export function serverJson(served: Served, options: ServerJsonOptions): object {
  const { name, manifest, url, secrets = [] } = options;
  if (!/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/.test(name) || name.length > 200)
    throw inputError(`${JSON.stringify(name)} is not a name such as io.github.ada/crm or com.example/crm.`);
  if (!manifest && url === undefined)
    throw inputError("Pass --package for a package, --url for a running server, or both.");
  const server = serverOf(served);
  const { websiteUrl } = server.options;
  const title = cardText(server.options.title);
  const version = manifest ? exactVersion(manifest) : server.version;
  const packaged = typeof manifest?.["description"] === "string" ? manifest["description"] : undefined;
  const description = cardText(server.options.description) ?? title ?? cardText(packaged);
  if (description === undefined) throw inputError("The server needs a description. Set it in server({ description }).");
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name,
    ...(title !== undefined && { title }),
    description,
    version,
    ...(websiteUrl !== undefined && { websiteUrl }),
    ...repositoryOf(manifest),
    ...(manifest && { packages: [npmPackage(manifest, { name, version, secrets })] }),
    ...(url !== undefined && { remotes: [{ type: "streamable-http", url: checkUrl(url) }] }),
  };
}

function npmPackage(
  manifest: Readonly<Record<string, unknown>>,
  { name, version, secrets }: { name: string; version: string; secrets: readonly string[] },
): object {
  if (manifest["mcpName"] !== name)
    throw inputError(
      `package.json needs "mcpName": ${JSON.stringify(name)}, by which the registry knows that the package is yours. Add it, and publish the package first.`,
    );
  if (manifest["bin"] === undefined)
    throw inputError("package.json has no bin, so npx cannot start the server. Add a program that serves over stdio.");
  const variables = secrets.map((secret) => ({ name: secret, isRequired: true, isSecret: true }));
  return {
    registryType: "npm",
    identifier: String(manifest["name"]),
    version,
    runtimeHint: "npx",
    transport: { type: "stdio" },
    ...(variables.length > 0 && { environmentVariables: variables }),
  };
}

/** The registry accepts no ranges. */
function exactVersion({ version }: Readonly<Record<string, unknown>>): string {
  if (typeof version === "string" && /^\d+\.\d+\.\d+[\w.+-]*$/.test(version)) return version;
  throw inputError(`package.json needs an exact version, not ${JSON.stringify(version)}.`);
}

function repositoryOf(manifest: Readonly<Record<string, unknown>> | undefined): object {
  const written = manifest?.["repository"];
  const text = isRecord(written) ? written["url"] : written;
  const found = /github\.com[/:]([\w.-]+\/[\w.-]+?)(\.git)?$/.exec(typeof text === "string" ? text : "")?.[1];
  return found === undefined ? {} : { repository: { url: `https://github.com/${found}`, source: "github" } };
}

function checkUrl(url: string): string {
  if (URL.canParse(url) && new URL(url).protocol === "https:") return url;
  throw inputError(`--url must be an https URL, such as https://tools.example.com/mcp, not ${JSON.stringify(url)}.`);
}
