/** One metric with its samples. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** Suffix of a histogram sample: `_bucket`, `_sum` or `_count`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Metrics of one type: their names, helps and samples. */
export function familiesOf(
  type: Family["type"],
  rows: readonly (readonly [name: string, help: string, samples: readonly Sample[]])[],
): Family[] {
  return rows.map(([name, help, samples]) => ({ name, help, type, samples }));
}

export const expositionType = "text/plain; version=0.0.4; charset=utf-8";

/** The Prometheus text format, version 0.0.4. */
export function exposition(families: readonly Family[]): string {
  return families.map(familyText).join("");
}

function familyText({ name, help, type, samples }: Family): string {
  let text = `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`;
  for (const { suffix = "", labels, value } of samples) {
    text += `${name}${suffix}${labels ? labelsText(labels) : ""} ${numberText(value)}\n`;
  }
  return text;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const parts = Object.entries(labels).map(([key, value]) => `${key}="${escapeLabel(value)}"`);
  return `{${parts.join(",")}}`;
}

function escapeLabel(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  return String(value);
}
