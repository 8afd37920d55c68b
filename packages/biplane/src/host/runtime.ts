import { scopePolicy } from "../governance/access/scope-policy.ts";
import { openApprovals } from "../governance/approvals/approvals.ts";
import type { Approvals } from "../governance/approvals/approvals.ts";
import { simulatedApprover } from "../governance/approvals/simulated.ts";
import { openAudit } from "../governance/audit/audit.ts";
import type { Audit } from "../governance/audit/audit.ts";
import type { Secrets } from "../governance/secrets/secrets.ts";
import { codeActions, codeBytes } from "../code/code-shares.ts";
import { rules } from "@biplane/core";
import type { Config } from "../config/config-schema.ts";
import type { Governance } from "@biplane/core";
import type { SqlStore } from "../store/sql-store.ts";
import type { Logger } from "../observe/logs.ts";

/** The store and the governance that every served server shares. */
export interface Runtime extends AsyncDisposable {
  readonly store: SqlStore;
  readonly secrets: Secrets;
  readonly approvals: Approvals;
  /** Undefined without a `store`: an audit log in memory would be lost. */
  readonly audit: Audit | undefined;
  readonly governance: Governance;
}

export interface RuntimeOptions {
  readonly config: Config;
  readonly store: SqlStore;
  readonly secrets: Secrets;
  readonly log: Logger;
}

export function openRuntime({ config, store, secrets, log }: RuntimeOptions): Runtime {
  const onFault = (fault: unknown, where = "The audit log") => log.error(`${where} failed`, { error: fault });
  const { policies, policyDefault, limits, mode } = config;
  const audit = config.store === undefined ? undefined : openAudit({ store, strict: config.audit.strict, onFault });
  const { held, ...callLimits } = limits || { held: undefined };
  if (held) limitHeld(held);
  const approvals = openApprovals({
    store,
    ...(held && { maxWaiting: held.waitingCalls.perPrincipal, maxWaitingInAll: held.waitingCalls.total }),
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
    limits: limits === false ? false : callLimits,
    policies: [
      ...(policies ? [rules(policies, { otherwise: policyDefault })] : []),
      ...(config.auth.oauth?.toolScopes ? [scopePolicy(config.auth.oauth.toolScopes)] : []),
    ],
  };
  // Another process, such as `biplane secrets set`, may change secrets in the same store.
  let reloading: Promise<void> | undefined;
  const reload = setInterval(() => {
    reloading = secrets.reload().catch((fault: unknown) => onFault(fault, "Reading secrets"));
  }, 2000);
  reload.unref();
  return {
    store,
    secrets,
    approvals,
    audit,
    governance,
    async [Symbol.asyncDispose]() {
      clearInterval(reload);
      await reloading;
      await approvals.close();
      await audit?.close();
      await store.close();
    },
  };
}

type Held = Exclude<Config["limits"], false>["held"];

/** What code holds is counted for the whole process. */
function limitHeld({ codeBytes: bytes, codeActions: actions }: Held): void {
  codeBytes.limits = { perCaller: bytes.perPrincipal, total: bytes.total };
  codeActions.limits = { perCaller: actions.perPrincipal, total: actions.total };
}
