import { scopePolicy } from "../admin/access/scope-policy.ts";
import { openApprovals } from "../admin/approvals/approvals.ts";
import type { Approvals } from "../admin/approvals/approvals.ts";
import { simulatedApprover } from "../admin/approvals/simulated.ts";
import { openAudit } from "../admin/audit/audit.ts";
import type { Audit } from "../admin/audit/audit.ts";
import type { Secrets } from "../admin/secrets/secrets.ts";
import { rules } from "../call/rules/rules.ts";
import type { Config } from "../config/config-schema.ts";
import type { Governance } from "../server/options.ts";
import type { Store } from "../store/store.ts";
import type { Logger } from "../observe/logs.ts";

/** What a house keeps and rules by: opened once, laid over everything that is served. */
export interface House extends AsyncDisposable {
  readonly store: Store;
  readonly secrets: Secrets;
  readonly approvals: Approvals;
  /** Left out where nothing is kept. */
  readonly audit: Audit | undefined;
  readonly governance: Governance;
}

export interface HouseOptions {
  readonly config: Config;
  readonly store: Store;
  readonly secrets: Secrets;
  readonly log: Logger;
}

export function openHouse({ config, store, secrets, log }: HouseOptions): House {
  const onFault = (fault: unknown, where = "the audit log") => log.error(`${where} failed`, { error: fault });
  const { policies, policyDefault, limits, mode } = config;
  const audit = config.store === undefined ? undefined : openAudit({ store, strict: config.audit.strict, onFault });
  const approvals = openApprovals({
    store,
    ...(audit && { audit }),
    byCaller: config.approvals.byClient,
    expiresMs: config.approvals.expiresMinutes * 60_000,
  });
  const { simulated } = config.approvals;
  const governance: Governance = {
    mode,
    store,
    secrets,
    onFault,
    approver: simulated ? simulatedApprover({ ...simulated, otherwise: approvals }) : approvals,
    ...(audit && { audit }),
    ...(limits !== undefined && { limits }),
    policies: [
      ...(policies ? [rules(policies, { otherwise: policyDefault })] : []),
      ...(config.auth.oauth?.toolScopes ? [scopePolicy(config.auth.oauth.toolScopes)] : []),
    ],
  };
  // What another process sets is known here a moment later.
  const reload = setInterval(() => void secrets.reload().catch((fault) => onFault(fault, "reading secrets")), 2000);
  reload.unref();
  return {
    store,
    secrets,
    approvals,
    audit,
    governance,
    async [Symbol.asyncDispose]() {
      clearInterval(reload);
      await approvals.close();
      await audit?.close();
      await store.close();
    },
  };
}
