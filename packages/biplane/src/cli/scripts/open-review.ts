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
export interface ScriptReviewSession {
  readonly scripts: ScriptReview;
  readonly approvals: Approvals;
  readonly audit: Audit;
  readonly state: HostState;
}

export interface ScriptReviewArguments extends StoreArgs {
  readonly root?: string | undefined;
  readonly server?: string | undefined;
}

/** Opens the scripts of a command, and closes them after its work. */
export async function withScriptReview(
  { needsStore = false, ...args }: ScriptReviewArguments & { readonly needsStore?: boolean },
  work: (review: ScriptReviewSession) => Promise<void>,
): Promise<void> {
  const options = storeOptions(args);
  await using state = await (needsStore ? openPersistentState(options) : openHostState(options));
  const secret = (name: string) => state.secrets.get(name);
  const { config } = await loadConfig({ ...options, known: await knownNames(), secret });
  const server = args.server ?? config.name;
  const { store } = state;
  await using audit = openCommandAudit(store);
  await using approvals = openApprovals({ store, audit });
  const written = withRoot(config.packs["script"], args.root);
  const settings = scriptSettings(written, { server, approvals, secrets: secret });
  await work({ scripts: new ScriptReview({ server, settings, approvals, store }), approvals, audit, state });
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
