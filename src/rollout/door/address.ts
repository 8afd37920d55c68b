import { BiplaneError } from "../../errors.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { MakeOptions } from "../make.ts";
import type { DoorMaker } from "./door.ts";
import { evalProtocolDoors } from "./eval-protocol.ts";
import { HttpLine } from "./exchange.ts";
import { mcpDoors } from "./mcp.ts";
import { openEnvDoors } from "./openenv.ts";

/** Doors to whatever is at an address. `…/mcp` is Eval Protocol's way in; an address with `/schema` is OpenEnv's. */
export async function addressDoors(address: string, options: MakeOptions): Promise<DoorMaker> {
  const url = readAddress(address);
  const kind = options.kind ?? (await kindOf(url, options));
  switch (kind) {
    case "eval-protocol":
      return evalProtocolDoors(url.href, options);
    case "openenv":
      return openEnvDoors(openEnvBase(url), options);
    case "mcp":
      return mcpDoors(url.href, options);
  }
}

async function kindOf(url: URL, { headers = {} }: MakeOptions): Promise<"eval-protocol" | "openenv"> {
  if (url.protocol.startsWith("ws")) return "openenv";
  const path = url.pathname.replace(/\/+$/, "");
  if (path.endsWith("/mcp")) return "eval-protocol";
  if (path.endsWith("/ws")) return "openenv";
  const line = new HttpLine();
  const question = { method: "GET" as const, headers, timeoutMs: 5000, signal: new AbortController().signal };
  try {
    const { status, text } = await line.ask({ ...question, url: `${url.href.replace(/\/+$/, "")}/schema` });
    const schema: unknown = status === 200 ? JSON.parse(text) : undefined;
    return isObject(schema) && isObject(schema["action"]) ? "openenv" : "eval-protocol";
  } catch {
    return "eval-protocol"; // which says clearly what is wrong, once a row is played
  } finally {
    line.close();
  }
}

function readAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && ["http:", "https:", "ws:", "wss:"].includes(url.protocol)) return url;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `${address} is no address: write http://host:port/mcp, or http://host:port`,
  );
}

/** The address under which OpenEnv's own paths are. */
function openEnvBase(url: URL): string {
  return url.href
    .replace(/^ws/, "http")
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\/ws$/, "");
}
