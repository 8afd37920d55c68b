import { scopePolicy } from "../governance/access/scope-policy.ts";
import { openApprovals } from "../governance/approvals/approvals.ts";
import type { Approvals } from "../governance/approvals/approvals.ts";
import { simulatedApprover } from "../governance/approvals/simulated.ts";
import { DeliveryQueue } from "../governance/notifications/delivery-queue.ts";
import { PublishedRules } from "../governance/policies/published-rules.ts";
import { RuleHits } from "../governance/policies/rule-hits.ts";
import { openAudit } from "../governance/audit/audit.ts";
import type { Audit } from "../governance/audit/audit.ts";
import type { Secrets } from "../governance/secrets/secrets.ts";
import { codeActions, codeBytes } from "../code/code-shares.ts";
import { openSockets } from "@biplane/core/internal";
import { rules } from "@biplane/core";
import type { Config } from "../config/config-schema.ts";
import type { Governance, Policy } from "@biplane/core";
import { RepeatedWork } from "../store/repeated-work.ts";
import type { SqlStore } from "../store/sql-store.ts";
import type { Logger } from "../observe/logs.ts";
import { targetNames } from "./notifications.ts";

/** The store and the governance that every served server shares. */
export interface Runtime extends AsyncDisposable {
  readonly store: SqlStore;
  readonly secrets: Secrets;
  readonly approvals: Approvals;
  /** Messages about waiting calls. */
  readonly queue: DeliveryQueue;
  /** Undefined without a `store`: an audit log in memory would be lost. */
  readonly audit: Audit | undefined;
  readonly governance: Governance;
  /** The policies that the config makes. They are part of `governance`. */
  readonly policies: readonly Policy[];
  /** The rules that live in the store. Call `start` and apply its `policy` before the first call. */
  readonly published: PublishedRules;
  readonly hits: RuleHits;
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
  const queue = new DeliveryQueue(store, targetNames(config));
  const approvals = openApprovals({
    store,
    outbox: queue,
    ...(held && { maxWaiting: held.waitingCalls.perPrincipal, maxWaitingInAll: held.waitingCalls.total }),
    ...(audit && { audit }),
    byCaller: config.approvals.byClient,
    expiresMs: config.approvals.expiresMinutes * 60_000,
  });
  const { simulated } = config.approvals;
  const own = [
    ...(policies ? [rules(policies, { otherwise: policyDefault, name: "config file" })] : []),
    ...(config.auth.oauth?.toolScopes ? [scopePolicy(config.auth.oauth.toolScopes)] : []),
  ];
  const published = new PublishedRules({ store, audit, onFault: (fault) => onFault(fault, "Reading published rules") });
  const hits = new RuleHits({ store, onFault: (fault) => onFault(fault, "Counting rules") });
  const governance: Governance = {
    mode,
    store,
    secrets,
    onFault,
    approver: simulated ? simulatedApprover({ ...simulated, otherwise: approvals }) : approvals,
    ...(audit && { audit }),
    limits: limits === false ? false : callLimits,
    policies: own,
  };
  // Another process, such as `biplane secrets set`, may change secrets in the same store.
  const reloading = new RepeatedWork(() => secrets.reload(), {
    everyMs: 2000,
    onFault: (fault) => onFault(fault, "Reading secrets"),
  });
  return {
    store,
    secrets,
    approvals,
    queue,
    audit,
    governance,
    policies: own,
    published,
    hits,
    async [Symbol.asyncDispose]() {
      await reloading[Symbol.asyncDispose]();
      await published[Symbol.asyncDispose]();
      await hits[Symbol.asyncDispose]();
      await approvals.close();
      await audit?.close();
      await store.close();
    },
  };
}

type Held = Exclude<Config["limits"], false>["held"];

/** These are counted for the whole process. */
function limitHeld(held: Held): void {
  for (const [shares, { perPrincipal, total }] of [
    [codeBytes, held.codeBytes],
    [codeActions, held.codeActions],
    [openSockets, held.webSockets],
  ] as const)
    shares.limits = { perCaller: perPrincipal, total };
}
