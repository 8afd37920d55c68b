import { join } from "node:path";
import type { Served } from "@biplane/core";
import { recordSessions } from "../recording/session-recorder.ts";
import type { SessionRecorder } from "../recording/session-recorder.ts";
import type { Logger } from "../observe/logs.ts";

/** Records the sessions of everything served, in a new file per server and process. */
export async function recordServed(
  served: readonly Served[],
  { folder, log }: { readonly folder: string; readonly log: Logger },
): Promise<AsyncDisposable> {
  const recorders: SessionRecorder[] = [];
  const close = async () => {
    for (const recorder of recorders) await recorder[Symbol.asyncDispose]();
  };
  try {
    for (const each of served) {
      const file = join(folder, fileName(each.name));
      const onFault = (fault: unknown) => log.error("Recording failed", { server: each.name, error: fault });
      recorders.push(await recordSessions(each, { file, onFault }));
      log.info("Recording sessions", { server: each.name, file });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { [Symbol.asyncDispose]: close };
}

function fileName(server: string): string {
  const time = new Date().toISOString().replaceAll(/[-:T]|\..*/g, "");
  return `${server.replaceAll(/[^\w.-]+/g, "-").slice(0, 100)}-${time}-${process.pid}.jsonl`;
}
