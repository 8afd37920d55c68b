import type { ProjectParts, SourceLanguage } from "./project.ts";

export interface ToolCallEval {
  readonly name: string;
  readonly entry: string;
  readonly systemPrompt: string;
  readonly rows: readonly { readonly id: string; readonly request: string; readonly expected: object }[];
}

/** An eval of a server: each row asks for one call, and the scorer compares it with the expected one. */
export function toolCallEval(
  { name, entry, systemPrompt, rows }: ToolCallEval,
  { suffix, types }: SourceLanguage,
): Pick<ProjectParts, "evaluation" | "files"> {
  const servers = { mcpServers: { [name]: { command: "biplane", args: ["serve", entry, "--stdio"] } } };
  const lines = rows.map(({ id, request, expected }) =>
    JSON.stringify({ id, system_prompt: systemPrompt, user_prompt_template: request, expected }),
  );
  return {
    evaluation: `--servers eval/servers.json --rows eval/rows.jsonl --agent ./eval/agent.${suffix} --scorer ./eval/scorer.${suffix} --threshold 0.9`,
    files: {
      "eval/rows.jsonl": `${lines.join("\n")}\n`,
      "eval/servers.json": `${JSON.stringify(servers, undefined, 2)}\n`,
      [`eval/scorer.${suffix}`]: `${types('import type { Trace } from "biplane/rollout";\n\n')}/** 1 if the agent made exactly the call that the row expects, else 0. */
export default function scorer({ row, steps }${types(": Trace")}) {
  const expected = row.input_metadata?.dataset_info?.expected;
  const calls = steps.flatMap(({ call }) => (call ? [{ tool: call.tool, input: call.input }] : []));
  return JSON.stringify(calls) === JSON.stringify([expected]) ? 1 : 0;
}
`,
    },
  };
}
