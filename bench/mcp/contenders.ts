import { join } from "node:path";
import { executables } from "./native-peers.ts";
import { cache, servers } from "./peers.ts";
import type { Era } from "./requests.ts";
import type { Contender } from "./subject.ts";

/** Our server, used for the ratios. For information: the same tool with JSON Schema, and without the fast lane. */
export const ours: readonly Contender[] = [
  call("2026", "biplane, zod", "biplane.mjs", ["zod"], 4),
  call("2026", "biplane, node:http", "biplane.mjs", ["zod", "1", "node:http"], 4),
  call("2026", "biplane, JSON Schema", "biplane.mjs", ["json"], 4),
  call("2025 session", "biplane, zod", "biplane.mjs", ["zod"], 4),
  call("2025 session", "biplane, node:http", "biplane.mjs", ["zod", "1", "node:http"], 4),
  call("2025 session", "biplane, JSON Schema", "biplane.mjs", ["json"], 4),
  list("2026", "biplane, zod", "biplane.mjs", ["zod", "1000"], 1),
];

/** The bare server that sends the same responses as ours. */
export function bareFor(contender: Contender, answer: string): Contender {
  return { ...contender, name: "bare", file: join(servers, "bare.mjs"), args: [answer], isBare: true };
}

export const sdk: readonly Contender[] = [
  call("2026", "SDK v2", "sdk.mjs", ["2026"], 0.5),
  call("2025 session", "SDK v2", "sdk.mjs", ["2025"], 0.5),
  call("2025 session", "SDK v2, JSON answers", "sdk.mjs", ["2025-json"], 0.5),
  list("2026", "SDK v2", "sdk.mjs", ["2026", "1000"], 0.02),
  list("2025 session", "SDK v2, JSON answers", "sdk.mjs", ["2025-json", "1000"], 0.02),
];

export const peers: readonly Contender[] = [
  peer("2025 session", "fastmcp", ["session"], 0.5),
  peer("2025 stateless", "fastmcp", ["stateless"], 0.5),
  peer("2026", "tmcp", [], 1),
  peer("2025 session", "tmcp", [], 1),
  peer("2025 session", "mcp-lite", ["session"], 2),
  peer("2025 stateless", "mcp-lite", ["stateless"], 2),
];

/** The fastest known servers in other languages. */
export const goPeers: readonly Contender[] = [
  native("2026", "go-sdk", ["stateless"], 1),
  native("2025 session", "go-sdk", ["session"], 1),
  native("2025 session", "mcp-go", ["session"], 2),
  native("2025 stateless", "mcp-go", ["stateless"], 2),
];

export const rustPeers: readonly Contender[] = [
  native("2025 session", "rmcp", ["session"], 3),
  native("2025 stateless", "rmcp", ["stateless"], 3),
];

/** All governance with the audit log on disk, compared with ours. */
export const governed: Contender = call("2026", "biplane, full governance", "governed.mjs", ["batched", "20"], 4);

export function call(era: Era, name: string, file: string, args: readonly string[], share: number): Contender {
  return { name, era, workload: "call", file: join(servers, file), args, share, isBare: false };
}

export function list(era: Era, name: string, file: string, args: readonly string[], share: number): Contender {
  return { ...call(era, name, file, args, share), workload: "list", tools: Number(args[1]) };
}

function native(era: Era, name: keyof typeof executables, args: readonly string[], share: number): Contender {
  return { ...call(era, name, "", args, share), file: executables[name], needs: name === "rmcp" ? "rust" : "go" };
}

function peer(era: Era, name: string, args: readonly string[], share: number): Contender {
  return { ...call(era, name, "", args, share), file: join(cache, `${name}.mjs`), needs: "npm" };
}
