/** Every status of an approval: a call that waits or waited for a person's answer. */
export const approvalStatuses = ["waiting", "approved", "used", "rejected", "expired"] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];
