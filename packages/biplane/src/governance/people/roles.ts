/** A named set of scopes. A person with a role has the scopes that it has in this version. */
export type Role = "viewer" | "approver" | "operator" | "owner";

const readable = ["tools", "calls", "episodes", "runs", "approvals", "connections"].map((scope) => `${scope}:read`);

const everything = [
  "tools",
  "calls",
  "episodes",
  "runs",
  "approvals",
  "policies",
  "secrets",
  "audit",
  "connections",
  "settings",
  "edit-runs",
];

export const roles: Readonly<Record<Role, { readonly about: string; readonly scopes: readonly string[] }>> = {
  viewer: {
    about: "Sees what agents do: tools, calls, approvals, episodes, runs and connections. Changes nothing.",
    scopes: readable,
  },
  approver: {
    about: "Sees what agents do, and allows or rejects calls that wait for a person.",
    scopes: [...readable, "approvals"],
  },
  operator: {
    about: "Does everything, also answers approvals, but does not manage people and tokens of agents.",
    scopes: everything,
  },
  owner: { about: "Does everything, also manages people and tokens of agents.", scopes: ["*"] },
};

export const roleNames = Object.keys(roles) as Role[];

/** Null for text that is not a role, such as that of a newer version. */
export function roleFrom(text: string | null): Role | null {
  return roleNames.find((role) => role === text) ?? null;
}
