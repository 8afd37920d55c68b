export { bearerTokens } from "./access/bearer-tokens.ts";
export type { BearerToken } from "./access/bearer-tokens.ts";
export { firstOf } from "./access/first-of.ts";
export { oauthResource } from "./access/oauth-resource.ts";
export type { OAuthResourceOptions } from "./access/oauth-resource.ts";
export { StoredTokens } from "./access/stored-tokens.ts";
export type { NewStoredToken, StoredToken, StoredTokensOptions } from "./access/stored-tokens.ts";
export type { DpopOptions } from "./access/dpop-proofs.ts";
export type { IntrospectionOptions } from "./access/introspection.ts";
export { memoryReplayGuard, storeReplayGuard } from "./access/replay-guard.ts";
export type { ReplayGuard } from "./access/replay-guard.ts";
export { scopePolicy } from "./access/scope-policy.ts";
export type {
  ApprovalAnswer,
  Approval,
  Grant,
  ApprovalScope,
  ApprovalSubject,
  StandingRejection,
  StandingDecision,
} from "./approvals/approval.ts";
export { openApprovals } from "./approvals/approvals.ts";
export type { Approvals, ApprovalsOptions } from "./approvals/approvals.ts";
export { simulatedApprover } from "./approvals/simulated.ts";
export type { SimulatedOptions } from "./approvals/simulated.ts";
export { openAudit } from "./audit/audit.ts";
export type { Audit, AuditOptions } from "./audit/audit.ts";
export { exportRecords, verifyRecords } from "./audit/export-records.ts";
export { checkpointKey, publicCheckpointKey, readCheckpoint, signCheckpoint } from "./audit/checkpoint.ts";
export type { Checkpoint } from "./audit/checkpoint.ts";
export { queryAudit } from "./audit/query.ts";
export { verifyAudit } from "./audit/verify.ts";
export { OidcSignIn } from "./people/oidc.ts";
export type { OidcOptions } from "./people/oidc.ts";
export { openPeople } from "./people/people.ts";
export type { People, PeopleOptions } from "./people/people.ts";
export { readKey } from "./secrets/key.ts";
export { openSecrets } from "./secrets/secrets.ts";
export type { Secrets, SecretsOptions } from "./secrets/secrets.ts";
