import { calculate } from "./calculate.ts";
import type { DomainTool } from "./domain.ts";

const text = { type: "string" } as const;

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
