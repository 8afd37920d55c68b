import { openApprovals } from "../admin/approvals/approvals.ts";
import type { Approvals } from "../admin/approvals/approvals.ts";
import { openAudit } from "../admin/audit/audit.ts";
import type { Audit } from "../admin/audit/audit.ts";
import { loadConfig } from "../config/load-config.ts";
import { ScriptDesk } from "../desk/script-desk.ts";
import { scriptSettings } from "../desk/script-settings.ts";
import { BiplaneError, messageOf } from "../errors.ts";
import { houseArgs, houseOptions } from "./house-args.ts";
import { whatIsThere } from "./what-is-there.ts";
import { openKeptState, openState } from "./state.ts";
import type { State } from "./state.ts";

/** The options of every command about scripts. */
export const deskArgs = {
  root: { type: "string", description: "The folder of the scripts, before packs.script.root of the config file" },
  server: { type: "string", description: "The name of the server that runs them, before name of the config file" },
  ...houseArgs,
} as const;

/** Where a person looks at scripts and decides about them, and what is kept behind it. */
export interface Desk extends AsyncDisposable {
  readonly scripts: ScriptDesk;
  readonly approvals: Approvals;
  readonly audit: Audit;
  readonly state: State;
}

export interface DeskArguments {
  readonly root?: string | undefined;
  readonly server?: string | undefined;
  readonly config?: string | undefined;
  readonly store?: string | undefined;
}

export async function openDesk(args: DeskArguments, { mustKeep = false } = {}): Promise<Desk> {
  const options = houseOptions(args);
  const state = await (mustKeep ? openKeptState(options) : openState(options));
  try {
    const secret = (name: string) => state.secrets.get(name);
    const { config } = await loadConfig({ ...options, known: await whatIsThere(), secret });
    const server = args.server ?? config.name;
    const onFault = (fault: unknown) => process.stderr.write(`biplane: the audit log failed: ${messageOf(fault)}\n`);
    const audit = openAudit({ store: state.store, strict: true, onFault });
    const approvals = openApprovals({ store: state.store, audit });
    const written = withRoot(config.packs["script"], args.root);
    const settings = scriptSettings(written, { server, approvals, secrets: secret });
    return {
      scripts: new ScriptDesk({ server, settings, approvals, store: state.store }),
      approvals,
      audit,
      state,
      async [Symbol.asyncDispose]() {
        await audit.close();
        await approvals.close();
        await state[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await state[Symbol.asyncDispose]();
    throw error;
  }
}

function withRoot(
  written: Readonly<Record<string, unknown>> | undefined,
  root: string | undefined,
): Readonly<Record<string, unknown>> {
  const options = { ...written, ...(root !== undefined && { root }) };
  if ("root" in options) return options;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    "say where the scripts are: --root, or root under packs: script: in biplane.yaml",
  );
}
