import type { Pack } from "@biplane/core";
import type { JsonObject } from "@biplane/core/internal";
import { browserOptions } from "./browser/options.ts";
import { calendarOptions } from "./calendar/options.ts";
import { chatOptions } from "./chat/options.ts";
import { filesystemOptions } from "./filesystem/options.ts";
import { gitOptions } from "./git/options.ts";
import { githubOptions } from "./github/options.ts";
import { memoryOptions } from "./memory/options.ts";
import { openapiOptions } from "./openapi/options.ts";
import { replOptions } from "./repl/options.ts";
import { scriptOptions } from "./script/options.ts";
import { optionsOf } from "./shared/options.ts";
import { vaultOptions } from "./vault/options.ts";
import { webOptions } from "./web/options.ts";
import { workspaceOptions } from "./workspace/options.ts";

/** A built-in pack, for config files and the command line. */
export interface PackDefinition {
  /** The JSON Schema of its options. */
  readonly options: JsonObject;
  /** Creates the pack from options that fit the schema. */
  open(options: Readonly<Record<string, unknown>>): Promise<Pack>;
}

/** The built-in packs. Each is loaded at first use. */
export const packs: Readonly<Record<string, PackDefinition>> = {
  approvals: define(optionsOf({}, {}), async () => (await import("./approvals/pack.ts")).approvalsPack),
  workspace: define(workspaceOptions, async () => (await import("./workspace/pack.ts")).workspacePack),
  memory: define(memoryOptions, async () => (await import("./memory/pack.ts")).memoryPack),
  vault: define(vaultOptions, async () => (await import("./vault/pack.ts")).vaultPack),
  filesystem: define(filesystemOptions, async () => (await import("./filesystem/pack.ts")).filesystemPack),
  git: define(gitOptions, async () => (await import("./git/pack.ts")).gitPack),
  web: define(webOptions, async () => (await import("./web/pack.ts")).webPack),
  browser: define(browserOptions, async () => (await import("./browser/pack.ts")).browserPack),
  repl: define(replOptions, async () => (await import("./repl/pack.ts")).replPack),
  script: define(scriptOptions, async () => (await import("./script/pack.ts")).scriptPack),
  github: define(githubOptions, async () => (await import("./github/pack.ts")).githubPack),
  openapi: define(openapiOptions, async () => (await import("./openapi/pack.ts")).openapiPack),
  chat: define(chatOptions, async () => (await import("./chat/pack.ts")).chatPack),
  calendar: define(calendarOptions, async () => (await import("./calendar/pack.ts")).calendarPack),
};

function define(options: JsonObject, load: () => Promise<(options: never) => Pack | Promise<Pack>>): PackDefinition {
  return { options, open: async (given) => (await load())(given as never) };
}
