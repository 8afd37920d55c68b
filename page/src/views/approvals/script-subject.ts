/** A script that a policy asks about: its file, its name in Scripts, and the bytes it had. */
export interface ShownSubject {
  readonly file: string;
  readonly name: string;
  readonly source: string;
}

export function scriptIn(subject: unknown): ShownSubject | undefined {
  if (typeof subject !== "object" || subject === null) return undefined;
  const { script: file, sha256, source } = subject as Readonly<Record<string, unknown>>;
  if (typeof file !== "string" || typeof sha256 !== "string" || typeof source !== "string") return undefined;
  return { file, name: file.replace(/\.star$/, ""), source };
}
