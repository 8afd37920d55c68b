/** A metric as a scraper reads it. */
export interface ReadFamily {
  readonly help: string;
  readonly type: string;
  readonly samples: ReadSample[];
}

export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * Reads Prometheus' text format, version 0.0.4, and throws at the least irregularity: a line that is none, a metric
 * without HELP and TYPE or in two places, a series that comes twice, a histogram whose buckets do not add up.
 */
export function readExposition(text: string): Map<string, ReadFamily> {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const families = new Map<string, ReadFamily>();
  const seen = new Set<string>();
  let [current, help]: [string, string | undefined] = ["", undefined];
  for (const line of text.slice(0, -1).split("\n")) {
    const helped = /^# HELP ([a-zA-Z_:][\w:]*) ((?:[^\\]|\\\\|\\n)*)$/.exec(line);
    const typed = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram)$/.exec(line);
    if (helped) [, current = "", help] = helped;
    else if (typed) {
      if (typed[1] !== current || help === undefined) throw new Error(`TYPE without HELP: ${line}`);
      if (families.has(current)) throw new Error(`${current} comes twice`);
      families.set(current, { help, type: typed[2] ?? "", samples: [] });
      help = undefined;
    } else {
      const sample = readSample(line);
      const family = families.get(current);
      if (!family || !belongs(sample.name, current, family.type)) throw new Error(`out of place: ${line}`);
      const series = `${sample.name} ${keyOf(sample.labels)}`;
      if (seen.has(series)) throw new Error(`twice: ${line}`);
      seen.add(series);
      family.samples.push(sample);
    }
  }
  for (const [name, family] of families) if (family.type === "histogram") checkHistogram(name, family);
  return families;
}

/** The value of one series, or undefined. */
export function valueOf(
  families: Map<string, ReadFamily>,
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const wanted = keyOf(labels);
  for (const { samples } of families.values()) {
    for (const sample of samples) {
      if (sample.name === name && keyOf(sample.labels) === wanted) return sample.value;
    }
  }
  return undefined;
}

/** The same for the same labels in any order. */
function keyOf(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map((pair) => JSON.stringify(pair));
  return pairs.toSorted().join(" ");
}

function belongs(name: string, family: string, type: string): boolean {
  if (type !== "histogram") return name === family;
  return ["_bucket", "_sum", "_count"].some((suffix) => name === family + suffix);
}

function readSample(line: string): ReadSample {
  const [whole = "", name = ""] = /^([a-zA-Z_:][\w:]*)/.exec(line) ?? [];
  let at = whole.length;
  const labels: Record<string, string> = {};
  if (line[at] === "{") {
    at++;
    const one = /([a-zA-Z_]\w*)="((?:[^\\"]|\\\\|\\"|\\n)*)"(,|\})/y;
    for (let end = ""; end !== "}";) {
      one.lastIndex = at;
      const found = one.exec(line);
      if (!found) throw new Error(`bad labels: ${line}`);
      const [all, key = "", value = ""] = found;
      if (key in labels) throw new Error(`label twice: ${line}`);
      labels[key] = value.replaceAll(/\\(.)/g, (_, mark: string) => (mark === "n" ? "\n" : mark));
      end = found[3] ?? "";
      at += all.length;
    }
  }
  const number = /^ (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|NaN|[+-]Inf)$/.exec(line.slice(at))?.[1];
  if (name === "" || number === undefined) throw new Error(`not a sample: ${line}`);
  return { name, labels, value: Number(number.replace("Inf", "Infinity")) };
}

function checkHistogram(name: string, { samples }: ReadFamily): void {
  const groups = new Map<string, ReadSample[]>();
  for (const sample of samples) {
    const { le: _, ...rest } = sample.labels;
    const key = keyOf(rest);
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const [key, group] of groups) {
    const buckets = group.filter((sample) => sample.name.endsWith("_bucket"));
    const bounds = buckets.map(({ labels }) => Number((labels["le"] ?? "").replace("Inf", "Infinity")));
    const counts = buckets.map(({ value }) => value);
    const isRising = (numbers: number[]) => numbers.every((each, at) => at === 0 || each >= (numbers[at - 1] ?? 0));
    const count = group.find((sample) => sample.name.endsWith("_count"))?.value;
    const sum = group.find((sample) => sample.name.endsWith("_sum"))?.value;
    if (
      !isRising(bounds) ||
      !isRising(counts) ||
      bounds.at(-1) !== Infinity ||
      counts.at(-1) !== count ||
      !(Number(sum) >= 0)
    )
      throw new Error(`the histogram ${name} ${key} does not add up`);
  }
}
