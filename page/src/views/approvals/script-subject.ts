/** A script that needs approval: its file, its name in Scripts, and its source at that time. */
export interface ScriptSubject {
  readonly file: string;
  readonly name: string;
  readonly source: string;
  readonly sha256: string;
}

export function scriptIn(subject: unknown): ScriptSubject | undefined {
  if (typeof subject !== "object" || subject === null) return undefined;
  const { script: file, sha256, source } = subject as Readonly<Record<string, unknown>>;
  if (typeof file !== "string" || typeof sha256 !== "string" || typeof source !== "string") return undefined;
  return { file, name: file.replace(/\.star$/, ""), source, sha256 };
}
