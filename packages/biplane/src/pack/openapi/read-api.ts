import { BiplaneError } from "@biplane/core";
import { Shares, messageOf, readTextFile } from "@biplane/core/internal";
import type { NetworkGuard } from "../shared/net/network-guard.ts";
import { JobWorker } from "../shared/worker/job-worker.ts";
import type { ApiDescription } from "./operation.ts";
import { maxDocumentLength } from "./read-document.ts";
import type { ApiDocumentJob } from "./read-document.ts";

export interface ReadApiOptions {
  readonly name: string;
  readonly file?: string | undefined;
  readonly url?: string | undefined;
  readonly maxOperations: number;
  readonly guard: NetworkGuard;
}

/** Fetches and reads a document. A worker reads it, which ends if it takes too long or too much memory. */
export async function readApi(options: ReadApiOptions): Promise<ApiDescription> {
  const { name, maxOperations } = options;
  const text = await textOf(options);
  await using worker = new JobWorker<ApiDocumentJob, ApiDescription>({ entry, places, timeoutMs: 30_000 });
  try {
    return await worker.run(() => ({ text, maxOperations }), {
      caller: undefined,
      signal: new AbortController().signal,
      failure: `openapi: the document of ${name} cannot be used`,
    });
  } catch (error) {
    throw new BiplaneError("INVALID_DEFINITION", messageOf(error), { cause: error });
  }
}

const entry = { name: "openapi", source: new URL("./openapi-worker.ts", import.meta.url) } as const;
const places = new Shares("OpenAPI documents to read", { perCaller: 100, total: 100 });

async function textOf({ name, file, url, guard }: ReadApiOptions): Promise<string> {
  if ((file === undefined) === (url === undefined))
    throw new BiplaneError("INVALID_DEFINITION", `openapi: ${name} needs either file or url.`);
  try {
    if (file !== undefined) return await readTextFile(file, { maxBytes: 4 * maxDocumentLength });
    const { status, body } = await guard.fetch(url ?? "", { maxBytes: maxDocumentLength });
    if (status !== 200) throw new Error(`it was answered with status ${status}`);
    return body.toString();
  } catch (error) {
    const what = file ?? url ?? "";
    throw new BiplaneError("INVALID_DEFINITION", `openapi: cannot read ${what}: ${messageOf(error)}`, { cause: error });
  }
}
