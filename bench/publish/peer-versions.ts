import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openEnvVersion } from "../env/servers.ts";
import { dependencies } from "../mcp/peers.ts";

/** A server that ours is compared with: its version, and the file that configures it. */
export interface PeerVersion {
  readonly name: string;
  readonly language: string;
  readonly version: string;
  readonly config: string;
}

export function peerVersions(): PeerVersion[] {
  const { devDependencies: own } = JSON.parse(read("package.json")) as { devDependencies: Record<string, string> };
  const go = read("bench/mcp/servers/go/go.mod");
  const rust = read("bench/mcp/servers/rmcp/Cargo.toml");
  const javascript = (name: keyof typeof dependencies) => ({
    name,
    language: "JavaScript",
    version: dependencies[name],
    config: `bench/mcp/servers/${name}.mjs`,
  });
  return [
    {
      name: "bare HTTP",
      language: "JavaScript",
      version: `node:http of ${process.version}`,
      config: "bench/mcp/servers/bare.mjs",
    },
    {
      name: "SDK v2 (@modelcontextprotocol/server)",
      language: "JavaScript",
      version: own["@modelcontextprotocol/server"] ?? "",
      config: "bench/mcp/servers/sdk.mjs",
    },
    javascript("fastmcp"),
    javascript("tmcp"),
    javascript("mcp-lite"),
    {
      name: "go-sdk",
      language: "Go",
      version: /modelcontextprotocol\/go-sdk v(\S+)/.exec(go)?.[1] ?? "",
      config: "bench/mcp/servers/go/go-sdk/main.go",
    },
    {
      name: "mcp-go",
      language: "Go",
      version: /mark3labs\/mcp-go v(\S+)/.exec(go)?.[1] ?? "",
      config: "bench/mcp/servers/go/mcp-go/main.go",
    },
    {
      name: "rmcp",
      language: "Rust",
      version: /rmcp = \{ version = "=([^"]+)"/.exec(rust)?.[1] ?? "",
      config: "bench/mcp/servers/rmcp/src/main.rs",
    },
    { name: "OpenEnv", language: "Python", version: openEnvVersion, config: "bench/env/openenv_server.py" },
    { name: "Gymnasium", language: "Python, C++", version: "1.4.0", config: "interop/python/lunar_lander.py" },
  ];
}

function read(file: string): string {
  return readFileSync(join(import.meta.dirname, "../..", file), "utf8");
}
