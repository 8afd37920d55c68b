import type { ProjectPackages } from "./project-packages.ts";

export interface BundleManifestOptions {
  readonly name: string;
  readonly packages: ProjectPackages;
  /** What `biplane serve` gets, with paths relative to the project. */
  readonly serve: readonly string[];
  /** Variables that the config reads. The host asks its user for them. */
  readonly variables: readonly string[];
  readonly nodeVersion: string;
  readonly tools: readonly { readonly name: string; readonly description?: string | undefined }[];
}

/** The program in a bundle. */
export const bundledProgram = "server/node_modules/biplane/bin/biplane.mjs";

/** `manifest.json` of an MCP bundle, version 0.3 of the format. */
export function bundleManifest(options: BundleManifestOptions): Readonly<Record<string, unknown>> {
  const { name, packages, serve, variables, nodeVersion, tools } = options;
  const paths = serve.map((each) => (each.startsWith("./") ? `\${__dirname}/server/${each.slice(2)}` : each));
  return {
    manifest_version: "0.3",
    name,
    version: packages.version ?? "0.0.0",
    description: packages.description ?? `${name}, a server built with Biplane`,
    author: { name: packages.author ?? "unknown" },
    server: {
      type: "node",
      entry_point: bundledProgram,
      mcp_config: {
        command: "node",
        args: [`\${__dirname}/${bundledProgram}`, "serve", ...paths, "--stdio"],
        env: {
          // The folder of a bundle is replaced when it is updated.
          BIPLANE_STORE: `\${HOME}/.biplane/${name}/store.db`,
          ...Object.fromEntries(variables.map((each) => [each, `\${user_config.${keyOf(each)}}`])),
        },
      },
    },
    tools: tools.map(({ name: tool, description }) => ({
      name: tool,
      ...(description !== undefined && { description }),
    })),
    tools_generated: true,
    ...(variables.length > 0 && {
      user_config: Object.fromEntries(variables.map((each) => [keyOf(each), asked(each)])),
    }),
    compatibility: { platforms: ["darwin", "linux", "win32"], runtimes: { node: `>=${nodeVersion}` } },
  };
}

function keyOf(variable: string): string {
  return variable.toLowerCase();
}

/** A variable may be a secret, so that it is shown as one. */
function asked(variable: string) {
  return {
    type: "string",
    title: variable,
    description: `${variable} of biplane.yaml`,
    sensitive: true,
    required: true,
  };
}
