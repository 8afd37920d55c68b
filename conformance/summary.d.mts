interface Check {
  readonly scenario: string;
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
  readonly description?: string;
}

export function summarize(
  title: string,
  checks: readonly Check[],
): { readonly failed: number; readonly skipped: readonly string[]; readonly lines: readonly string[] };
