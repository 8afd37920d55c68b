import type { Served } from "biplane";
import type { SqlStore } from "biplane/store";
import type { PolicyParts } from "../../packages/biplane/src/admin/governance/policy-routes.ts";
import type { NotificationRouteParts } from "../../packages/biplane/src/admin/governance/notification-routes.ts";
import { resolveConfig } from "../../packages/biplane/src/config/resolve-config.ts";
import type { ResolvedConfig } from "../../packages/biplane/src/config/resolve-config.ts";
import type { Approvals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { AnswerLinks } from "../../packages/biplane/src/governance/notifications/answer-links.ts";
import { AnswerTokens } from "../../packages/biplane/src/governance/notifications/answer-token.ts";
import type { DeliveryQueue } from "../../packages/biplane/src/governance/notifications/delivery-queue.ts";
import { PublishedRules } from "../../packages/biplane/src/governance/policies/published-rules.ts";
import { RuleHits } from "../../packages/biplane/src/governance/policies/rule-hits.ts";
import type { AuditSink } from "../../packages/core/src/call/audit.ts";
import { rules } from "../../packages/core/src/call/rules/rules.ts";

export interface GovernancePartsOptions {
  readonly store: SqlStore;
  readonly queue: DeliveryQueue;
  readonly approvals: Approvals;
  readonly audit: AuditSink;
  readonly onFault: (fault: unknown) => void;
  /** A config whose `policies` apply too. */
  readonly config?: ResolvedConfig | undefined;
}

/** Links and policies, as the host opens them. Nothing is sent: tests read the queue. */
export interface GovernanceParts extends AsyncDisposable {
  readonly notifications: NotificationRouteParts;
  readonly policies: PolicyParts;
  /** Applies the policies of the config, and the published rules as soon as there are some. */
  start(served: readonly Served[]): Promise<void>;
  /** The token of the link in the newest message. */
  newestToken(): Promise<string>;
}

export function openGovernanceParts(options: GovernancePartsOptions): GovernanceParts {
  const { store, queue, approvals, audit, onFault, config = resolveConfig({ environment: {} }) } = options;
  const target = {
    name: "phone",
    kind: "webhook" as const,
    address: "https://hooks.example.com",
    fingerprint: "1",
    hasAnswerLinks: true,
    pauseMs: 0,
    isGrouped: false,
    send: async () => ({ status: "sent" as const }),
  };
  const tokens = new AnswerTokens("a key for tests");
  const links = new AnswerLinks({ queue, tokens, targets: [target], approvals, lastsMs: 600_000, audit });
  const published = new PublishedRules({ store, audit, onFault });
  const hits = new RuleHits({ store, onFault });
  const { policies, policyDefault } = config.config;
  const own = policies ? [rules(policies, { otherwise: policyDefault })] : [];
  return {
    notifications: { queue, targets: [target], links },
    policies: { config, policies: own, published, hits },
    start: async (served) => {
      for (const each of served) each.govern({ policies: own });
      await published.start((policy) => {
        for (const each of served) each.govern({ policies: [policy] });
      });
    },
    newestToken: async () => {
      const [row] = await queue.list(1);
      return row ? links.tokenFor(row) : "";
    },
    async [Symbol.asyncDispose]() {
      await published[Symbol.asyncDispose]();
      await hits[Symbol.asyncDispose]();
    },
  };
}
