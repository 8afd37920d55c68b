import { expect, test } from "vitest";
import { hosts } from "../../../packages/biplane/src/cli/install/hosts.ts";
import type { DesktopHost } from "../../../packages/biplane/src/cli/install/hosts.ts";

const files = (platform: NodeJS.Platform, home: string, environment = {}) =>
  Object.fromEntries(
    Object.entries<DesktopHost>(hosts).map(([id, { userFile }]) => [id, userFile({ platform, home, environment })]),
  );

test("settings are where each host looks for them on macOS", () => {
  const home = "/Users/ada";
  expect(files("darwin", home)).toEqual({
    "claude-desktop": `${home}/Library/Application Support/Claude/claude_desktop_config.json`,
    "claude-code": `${home}/.claude.json`,
    cursor: `${home}/.cursor/mcp.json`,
    vscode: `${home}/Library/Application Support/Code/User/mcp.json`,
    windsurf: `${home}/.codeium/windsurf/mcp_config.json`,
    zed: `${home}/.config/zed/settings.json`,
    codex: `${home}/.codex/config.toml`,
    gemini: `${home}/.gemini/settings.json`,
    goose: `${home}/.config/goose/config.yaml`,
    "lm-studio": `${home}/.lmstudio/mcp.json`,
  });
});

test("on Windows", () => {
  const home = String.raw`C:\Users\ada`;
  const { goose, zed, vscode, cursor } = files("win32", home, { APPDATA: String.raw`D:\Roaming` });
  expect(goose).toBe(String.raw`D:\Roaming\Block\goose\config\config.yaml`);
  expect(zed).toBe(String.raw`D:\Roaming\Zed\settings.json`);
  expect(vscode).toBe(String.raw`D:\Roaming\Code\User\mcp.json`);
  expect(cursor).toBe(String.raw`C:\Users\ada\.cursor\mcp.json`);
});

test("on Linux, variables name other folders", () => {
  const environment = { XDG_CONFIG_HOME: "/c", CODEX_HOME: "/x", CLAUDE_CONFIG_DIR: "/k" };
  expect(files("linux", "/home/ada", environment)).toMatchObject({
    "claude-desktop": "/c/Claude/claude_desktop_config.json",
    "claude-code": "/k/.claude.json",
    zed: "/c/zed/settings.json",
    codex: "/x/config.toml",
    goose: "/c/goose/config.yaml",
  });
});
