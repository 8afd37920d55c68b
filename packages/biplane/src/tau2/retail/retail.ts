import type { DataFolder } from "../data-folder.ts";
import type { Domain } from "../domain.ts";
import { onTables, readTables, readTasks } from "../read-domain.ts";
import type { Changes } from "../episode-tables.ts";
import { retailTypes } from "./retail-models.ts";
import { retailTools } from "./retail-tools.ts";
import type { RetailOptions } from "./retail-tools.ts";

/** A shop: orders are cancelled, changed, exchanged and returned. */
export function retailDomain(folder: DataFolder, options: RetailOptions = {}): Domain<Changes> {
  const pristine = readTables(folder, retailTypes);
  return {
    name: "retail",
    policy: folder.text("policy.md"),
    ...readTasks(folder),
    tools: { assistant: onTables(retailTools(options), pristine), user: {} },
    functions: { assistant: {}, user: {} },
    userGuidelines: folder.shared("simulation_guidelines.md"),
    create: () => ({}),
    synchronize: () => undefined,
    hashes: (changes) => [pristine.hash(changes)],
  };
}
