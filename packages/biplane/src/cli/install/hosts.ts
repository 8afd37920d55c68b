import { existsSync, readFileSync } from "node:fs";
import { posix, win32 } from "node:path";
import { jsoncFormat } from "./jsonc-format.ts";
import type { SettingsEntry, SettingsFormat } from "./settings-format.ts";
import { tomlFormat } from "./toml-format.ts";
import { yamlFormat } from "./yaml-format.ts";

/** Where a user's settings are looked for. */
export interface UserFolders {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A program that a host starts. */
export interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A server that a host connects to. */
export interface HttpServer {
  readonly url: string;
  /** A token, or the name of the environment variable that has it. */
  readonly bearer?: { readonly token: string } | { readonly variable: string };
}

/** A program with a settings file in which MCP servers are listed. */
export interface DesktopHost {
  readonly title: string;
  readonly format: SettingsFormat;
  /** The key of the map of servers. */
  readonly key: string;
  readonly userFile: (folders: UserFolders) => string;
  /** Relative to the project. Undefined if the host has no settings for projects. */
  readonly projectFile?: string;
  readonly stdio: (server: StdioServer, name: string) => SettingsEntry;
  /** Undefined if the settings cannot name a URL. */
  readonly http?: (server: HttpServer, name: string) => SettingsEntry;
  /** True if the host replaces variables in headers. */
  readonly readsVariables?: true;
  /** What to do so that the host reads its settings again. */
  readonly reload: string;
}

const program = ({ command, args, env }: StdioServer) => ({ command, args, ...(env && { env }) });

/** Most hosts read JSON with comments, and list the programs that they start in `mcpServers`. */
const usual = { format: jsoncFormat, key: "mcpServers", stdio: program } as const;

/** The settings of each host, as its documentation describes them in November 2026. */
export const hosts = {
  "claude-desktop": {
    ...usual,
    title: "Claude Desktop",
    userFile: (folders) => inApplicationFolder(folders, "Claude", "claude_desktop_config.json"),
    reload: "Quit Claude Desktop and open it again.",
  },
  "claude-code": {
    ...usual,
    title: "Claude Code",
    userFile: (folders) => join(folders, folders.environment["CLAUDE_CONFIG_DIR"] || folders.home, ".claude.json"),
    projectFile: ".mcp.json",
    stdio: (server) => ({ type: "stdio", ...program(server) }),
    http: ({ url, bearer }) => ({ type: "http", url, ...headers(bearer, (name) => `\${${name}}`) }),
    readsVariables: true,
    reload: "Start a new session of Claude Code.",
  },
  cursor: {
    ...usual,
    title: "Cursor",
    userFile: (folders) => join(folders, folders.home, ".cursor", "mcp.json"),
    projectFile: ".cursor/mcp.json",
    http: ({ url, bearer }) => ({ url, ...headers(bearer, (name) => `\${env:${name}}`) }),
    readsVariables: true,
    reload: "Enable it under Settings, MCP in Cursor.",
  },
  vscode: {
    ...usual,
    title: "VS Code",
    key: "servers",
    userFile: (folders) => inApplicationFolder(folders, "Code", "User", "mcp.json"),
    projectFile: ".vscode/mcp.json",
    stdio: (server) => ({ type: "stdio", ...program(server) }),
    http: ({ url, bearer }) => ({ type: "http", url, ...headers(bearer, (name) => `\${env:${name}}`) }),
    readsVariables: true,
    reload: "Start it with the command MCP: List Servers in VS Code.",
  },
  windsurf: {
    ...usual,
    title: "Windsurf",
    userFile: (folders) => join(folders, folders.home, ".codeium", "windsurf", "mcp_config.json"),
    http: ({ url, bearer }) => ({ serverUrl: url, ...headers(bearer, (name) => `\${env:${name}}`) }),
    readsVariables: true,
    reload: "Refresh the MCP servers in Windsurf.",
  },
  zed: {
    ...usual,
    title: "Zed",
    key: "context_servers",
    userFile: (folders) =>
      folders.platform === "win32"
        ? inApplicationFolder(folders, "Zed", "settings.json")
        : join(folders, dotConfig(folders), "zed", "settings.json"),
    projectFile: ".zed/settings.json",
    http: ({ url, bearer }) => ({ url, ...headers(bearer) }),
    reload: "Zed starts it at once.",
  },
  codex: {
    title: "Codex CLI",
    format: tomlFormat,
    key: "mcp_servers",
    userFile: (folders) =>
      join(folders, folders.environment["CODEX_HOME"] || join(folders, folders.home, ".codex"), "config.toml"),
    projectFile: ".codex/config.toml",
    stdio: program,
    http: ({ url, bearer }) => ({
      url,
      ...(bearer &&
        ("variable" in bearer
          ? { bearer_token_env_var: bearer.variable }
          : { http_headers: { Authorization: `Bearer ${bearer.token}` } })),
    }),
    readsVariables: true,
    reload: "Start a new session of Codex.",
  },
  gemini: {
    ...usual,
    title: "Gemini CLI",
    userFile: (folders) => join(folders, folders.home, ".gemini", "settings.json"),
    projectFile: ".gemini/settings.json",
    http: ({ url, bearer }) => ({ httpUrl: url, ...headers(bearer, (name) => `\${${name}}`) }),
    readsVariables: true,
    reload: "Start a new session of Gemini CLI.",
  },
  goose: {
    title: "Goose",
    format: yamlFormat,
    key: "extensions",
    userFile: (folders) =>
      folders.platform === "win32"
        ? inApplicationFolder(folders, "Block", "goose", "config", "config.yaml")
        : join(folders, dotConfig(folders), "goose", "config.yaml"),
    stdio: ({ command, args, env }, name) => ({
      type: "stdio",
      name,
      enabled: true,
      cmd: command,
      args,
      ...(env && { envs: env }),
      timeout: 300,
    }),
    http: ({ url, bearer }, name) => ({
      type: "streamable_http",
      name,
      enabled: true,
      uri: url,
      ...headers(bearer),
      timeout: 300,
    }),
    reload: "Start a new session of Goose.",
  },
  "lm-studio": {
    ...usual,
    title: "LM Studio",
    userFile: (folders) => join(folders, lmStudioFolder(folders), "mcp.json"),
    http: ({ url, bearer }) => ({ url, ...headers(bearer) }),
    reload: "Enable it under Program, Integrations in LM Studio.",
  },
} as const satisfies Readonly<Record<string, DesktopHost>>;

/** A header with the token, or with the host's notation of a variable. */
function headers(
  bearer: HttpServer["bearer"],
  variable: (name: string) => string = (name) => `$${name}`,
): SettingsEntry {
  if (!bearer) return {};
  const token = "token" in bearer ? bearer.token : variable(bearer.variable);
  return { headers: { Authorization: `Bearer ${token}` } };
}

function join({ platform }: UserFolders, ...parts: string[]): string {
  return (platform === "win32" ? win32 : posix).join(...parts);
}

/** The system's folder for settings of desktop programs. */
function inApplicationFolder(folders: UserFolders, ...parts: string[]): string {
  const { platform, home, environment } = folders;
  if (platform === "win32")
    return join(folders, environment["APPDATA"] || join(folders, home, "AppData", "Roaming"), ...parts);
  if (platform === "darwin") return join(folders, home, "Library", "Application Support", ...parts);
  return join(folders, dotConfig(folders), ...parts);
}

function dotConfig(folders: UserFolders): string {
  return folders.environment["XDG_CONFIG_HOME"] || join(folders, folders.home, ".config");
}

/** LM Studio writes the path of its folder to a file. Older versions use the folder for caches. */
function lmStudioFolder(folders: UserFolders): string {
  const pointer = join(folders, folders.home, ".lmstudio-home-pointer");
  if (existsSync(pointer)) return readFileSync(pointer, "utf8").trim();
  const older = join(folders, folders.home, ".cache", "lm-studio");
  return existsSync(older) ? older : join(folders, folders.home, ".lmstudio");
}
