import type { ComponentType } from "preact";
import type { IconName } from "./components/icon.tsx";

/** A view: its route, its title, and how it is loaded. */
export interface View {
  /** The first part of the address: `#/tools`. */
  readonly route: string;
  readonly title: string;
  readonly icon: IconName;
  /** Second key of the shortcut, after `g`. */
  readonly key: string;
  readonly group: "" | "Agents" | "Training" | "Admin";
  /** Shown in the bottom bar on small screens. */
  readonly isMain?: boolean;
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

export const views: readonly View[] = [
  {
    route: "overview",
    title: "Overview",
    icon: "overview",
    key: "o",
    group: "",
    isMain: true,
    load: () => import("./views/overview/index.tsx"),
  },
  {
    route: "tools",
    title: "Tools",
    icon: "tools",
    key: "t",
    group: "Agents",
    isMain: true,
    load: () => import("./views/tools/index.tsx"),
  },
  {
    route: "live",
    title: "Live calls",
    icon: "live",
    key: "l",
    group: "Agents",
    isMain: true,
    load: () => import("./views/live/index.tsx"),
  },
  {
    route: "approvals",
    title: "Approvals",
    icon: "approvals",
    key: "a",
    group: "Agents",
    isMain: true,
    load: () => import("./views/approvals/index.tsx"),
  },
  {
    route: "policies",
    title: "Policies",
    icon: "policies",
    key: "p",
    group: "Agents",
    load: () => import("./views/policies/index.tsx"),
  },
  {
    route: "scripts",
    title: "Scripts",
    icon: "scripts",
    key: "s",
    group: "Agents",
    load: () => import("./views/scripts/index.tsx"),
  },
  {
    route: "episodes",
    title: "Episodes",
    icon: "episodes",
    key: "e",
    group: "Training",
    load: () => import("./views/episodes/index.tsx"),
  },
  {
    route: "runs",
    title: "Runs",
    icon: "runs",
    key: "r",
    group: "Training",
    load: () => import("./views/runs/index.tsx"),
  },
  {
    route: "audit",
    title: "Audit",
    icon: "audit",
    key: "u",
    group: "Admin",
    load: () => import("./views/audit/index.tsx"),
  },
  {
    route: "secrets",
    title: "Secrets",
    icon: "secrets",
    key: "k",
    group: "Admin",
    load: () => import("./views/secrets/index.tsx"),
  },
  {
    route: "connections",
    title: "Connections",
    icon: "connections",
    key: "c",
    group: "Admin",
    load: () => import("./views/connections/index.tsx"),
  },
  {
    route: "settings",
    title: "Settings",
    icon: "settings",
    key: ",",
    group: "Admin",
    load: () => import("./views/settings/index.tsx"),
  },
];
