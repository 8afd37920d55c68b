import { BiplaneError } from "../errors.ts";

/** The name is part of URLs such as `/env/<name>/mcp`, so it must not clash with other paths. */
export function checkServerName(name: unknown): void {
  if (typeof name !== "string" || name === "")
    throw new BiplaneError("INVALID_DEFINITION", 'A server needs a name: server({ name: "my-tools", … })');
  if (reservedNames.includes(name.toLowerCase())) {
    const all = reservedNames.join(", ");
    throw new BiplaneError("INVALID_DEFINITION", `${JSON.stringify(name)} is reserved (${all}). Choose another name.`);
  }
}

const reservedNames: readonly string[] = ["api", "mcp", "e", "env", "control", "k"];
