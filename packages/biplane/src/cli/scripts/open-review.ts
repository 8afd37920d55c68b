import { option } from "../command/define.ts";
import { openApprovals } from "../../governance/approvals/approvals.ts";
import type { Approvals } from "../../governance/approvals/approvals.ts";
import type { Audit } from "../../governance/audit/audit.ts";
import { loadConfig } from "../../config/load-config.ts";
import { ScriptReview } from "../../admin/scripts/script-review.ts";
import { scriptSettings } from "../../admin/scripts/script-settings.ts";
import { BiplaneError } from "@biplane/core";
import { openCommandAudit, storeArgs, storeOptions } from "../store-args.ts";
import type { StoreArgs } from "../store-args.ts";
import { knownNames } from "../../host/known-names.ts";
import { openPersistentState, openHostState } from "../../host/state.ts";
import type { HostState } from "../../host/state.ts";

/** Options of every `biplane scripts` command. */
export const scriptReviewArgs = {
  root: option("The scripts folder (default: packs.script.root in the config file)"),
  server: option("The name of the server that runs them (default: name in the config file)"),
  ...storeArgs,
} as const;

/** The scripts with their approvals, and the store behind them. */
export interface ScriptReviewSession extends AsyncDisposable {
  readonly scripts: ScriptReview;
  readonly approvals: Approvals;
  readonly audit: Audit;
  readonly state: HostState;
}

export interface ScriptReviewArguments extends StoreArgs {
  readonly root?: string | undefined;
  readonly server?: string | undefined;
}

export async function openScriptReview(
  args: ScriptReviewArguments,
  { needsStore = false } = {},
): Promise<ScriptReviewSession> {
  const options = storeOptions(args);
  const state = await (needsStore ? openPersistentState(options) : openHostState(options));
  try {
    const secret = (name: string) => state.secrets.get(name);
    const { config } = await loadConfig({ ...options, known: await knownNames(), secret });
    const server = args.server ?? config.name;
    const audit = openCommandAudit(state.store);
    const approvals = openApprovals({ store: state.store, audit });
    const written = withRoot(config.packs["script"], args.root);
    const settings = scriptSettings(written, { server, approvals, secrets: secret });
    return {
      scripts: new ScriptReview({ server, settings, approvals, store: state.store }),
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
    "The scripts folder is not set. Pass --root, or set packs.script.root in biplane.yaml.",
  );
}
