import type { Pack } from "../server/pack.ts";
import type { JsonObject } from "../tool/schema.ts";
import { approvalsOptions } from "./approvals/options.ts";
import { browserOptions } from "./browser/options.ts";
import { calendarOptions } from "./calendar/options.ts";
import { chatOptions } from "./chat/options.ts";
import { filesystemOptions } from "./filesystem/options.ts";
import { gitOptions } from "./git/options.ts";
import { githubOptions } from "./github/options.ts";
import { memoryOptions } from "./memory/options.ts";
import { replOptions } from "./repl/options.ts";
import { scriptOptions } from "./script/options.ts";
import { vaultOptions } from "./vault/options.ts";
import { webOptions } from "./web/options.ts";
import { workspaceOptions } from "./workspace/options.ts";

/** A pack as config files and the command line know it. */
export interface KnownPack {
  /** What it may be told, as JSON Schema. */
  readonly options: JsonObject;
  /** Makes it from options that were checked against that. */
  open(options: Readonly<Record<string, unknown>>): Promise<Pack>;
}

/** The packs that come with Biplane, each loaded when it is asked for. */
export const packs: Readonly<Record<string, KnownPack>> = {
  approvals: known(approvalsOptions, async () => (await import("./approvals/pack.ts")).approvalsPack),
  workspace: known(workspaceOptions, async () => (await import("./workspace/pack.ts")).workspacePack),
  memory: known(memoryOptions, async () => (await import("./memory/pack.ts")).memoryPack),
  vault: known(vaultOptions, async () => (await import("./vault/pack.ts")).vaultPack),
  filesystem: known(filesystemOptions, async () => (await import("./filesystem/pack.ts")).filesystemPack),
  git: known(gitOptions, async () => (await import("./git/pack.ts")).gitPack),
  web: known(webOptions, async () => (await import("./web/pack.ts")).webPack),
  browser: known(browserOptions, async () => (await import("./browser/pack.ts")).browserPack),
  repl: known(replOptions, async () => (await import("./repl/pack.ts")).replPack),
  script: known(scriptOptions, async () => (await import("./script/pack.ts")).scriptPack),
  github: known(githubOptions, async () => (await import("./github/pack.ts")).githubPack),
  chat: known(chatOptions, async () => (await import("./chat/pack.ts")).chatPack),
  calendar: known(calendarOptions, async () => (await import("./calendar/pack.ts")).calendarPack),
};

function known(options: JsonObject, load: () => Promise<(options: never) => Pack | Promise<Pack>>): KnownPack {
  return { options, open: async (given) => (await load())(given as never) };
}
