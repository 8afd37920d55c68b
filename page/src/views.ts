import type { ComponentType } from "preact";
import type { IconName } from "./components/icon.tsx";

/** A view: its route and its title. Its code is in the folder with the name of its route. */
export interface View {
  /** The first part of the address: `#/tools`. The icon of the view has the same name. */
  readonly route: IconName;
  readonly title: string;
  /** Second key of the shortcut, after `g`. */
  readonly key: string;
  readonly group: "" | "Agents" | "Training" | "Admin";
  /** Shown in the bottom bar on small screens. */
  readonly isMain?: boolean;
}

export const views: readonly View[] = [
  { route: "overview", title: "Overview", key: "o", group: "", isMain: true },
  { route: "tools", title: "Tools", key: "t", group: "Agents", isMain: true },
  { route: "live", title: "Live calls", key: "l", group: "Agents", isMain: true },
  { route: "approvals", title: "Approvals", key: "a", group: "Agents", isMain: true },
  { route: "policies", title: "Policies", key: "p", group: "Agents" },
  { route: "scripts", title: "Scripts", key: "s", group: "Agents" },
  { route: "episodes", title: "Episodes", key: "e", group: "Training" },
  { route: "runs", title: "Runs", key: "r", group: "Training" },
  { route: "audit", title: "Audit", key: "u", group: "Admin" },
  { route: "secrets", title: "Secrets", key: "k", group: "Admin" },
  { route: "connections", title: "Connections", key: "c", group: "Admin" },
  { route: "settings", title: "Settings", key: ",", group: "Admin" },
];

const modules = import.meta.glob<{ readonly default: ComponentType }>("./views/*/index.tsx");

/** Loads the code of a view. */
export async function loadView(route: string): Promise<ComponentType> {
  const load = modules[`./views/${route}/index.tsx`];
  if (!load) throw new Error(`There is no view ${route}.`);
  return (await load()).default;
}
