import type { ComponentType } from "preact";
import type { IconName } from "./components/icon.tsx";

/** A view: where it is, what it is called, and how it is loaded when somebody goes there. */
export interface View {
  /** The first part of the address: `#/tools`. */
  readonly route: string;
  readonly title: string;
  readonly icon: IconName;
  /** After `g`. */
  readonly key: string;
  readonly group: "" | "Agents" | "Training" | "House";
  /** On a phone: one of the few that are always at hand. */
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
    group: "House",
    load: () => import("./views/audit/index.tsx"),
  },
  {
    route: "secrets",
    title: "Secrets",
    icon: "secrets",
    key: "k",
    group: "House",
    load: () => import("./views/secrets/index.tsx"),
  },
  {
    route: "connections",
    title: "Connections",
    icon: "connections",
    key: "c",
    group: "House",
    load: () => import("./views/connections/index.tsx"),
  },
  {
    route: "settings",
    title: "Settings",
    icon: "settings",
    key: ",",
    group: "House",
    load: () => import("./views/settings/index.tsx"),
  },
];
