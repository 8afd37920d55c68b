import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that is deleted at the end. */
export async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "biplane-test-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
