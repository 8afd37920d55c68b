import { basename } from "node:path";
import { readServerFile } from "../../config/read-server-file.ts";
import type { ServerEntry } from "@biplane/core/client";
import { BiplaneError } from "@biplane/core";
import { mcpUrl } from "@biplane/core/internal";
import { warn } from "../terminal/warn.ts";
import { answerInput } from "./answer-input.ts";
import type { WrittenTarget } from "./read-target.ts";

/** The servers of a target, by name. Undefined if the target is opened in this process. */
export async function serversOf(target: WrittenTarget): Promise<Readonly<Record<string, ServerEntry>> | undefined> {
  switch (target.kind) {
    case "url":
      return {
        [URL.canParse(target.url) ? new URL(target.url).hostname : "server"]: { url: await mcpUrl(target.url) },
      };
    case "command":
      return { [basename(target.command)]: { command: target.command, args: target.args } };
    case "config":
      return readConfig(target.file, target.server);
    default:
      return undefined;
  }
}

/** Reads a config file with `mcpServers`. Warns of invalid entries; throws if there is no valid one. */
async function readConfig(file: string, only: string | undefined): Promise<Readonly<Record<string, ServerEntry>>> {
  const list = await readServerFile(file, { input: answerInput, ...(only !== undefined && { only: [only] }) });
  for (const warning of list.warnings) warn(warning);
  const isEmpty = Object.keys(list.servers).length === 0;
  const [first] = list.faults;
  if (first && isEmpty) throw first.error;
  for (const { name, error } of list.faults) warn(`Skipping ${name}:\n${error.message}`);
  if (isEmpty) throw new BiplaneError("INVALID_DEFINITION", `${file} has no enabled servers.`);
  return list.servers;
}
