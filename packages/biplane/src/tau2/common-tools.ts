import { calculate } from "./calculate.ts";
import type { DomainTool } from "./domain.ts";

const text = { type: "string" } as const;

type ToolRest<Database> = Pick<DomainTool<Database>, "parameters" | "run">;

/** A tool that looks something up. */
export function readTool<Database>(description: string, rest: ToolRest<Database>): DomainTool<Database> {
  return { kind: "read", description, ...rest };
}

/** A tool that changes something. */
export function writeTool<Database>(description: string, rest: ToolRest<Database>): DomainTool<Database> {
  return { kind: "write", description, ...rest };
}

export const calculateTool: DomainTool<unknown> = {
  kind: "generic",
  description: "Calculates an arithmetic expression",
  parameters: { expression: text },
  run: (_, { expression }) => calculate(String(expression)),
};

export const transferTool: DomainTool<unknown> = {
  kind: "generic",
  description: "Transfers the user to a human agent",
  parameters: { summary: text },
  run: () => "Transfer successful",
};
