import { BiplaneError } from "../errors.ts";
import { lost } from "./lost.ts";

/** A response's whole body, up to a limit. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw lost(`the answer from ${response.url} broke off`, { delivered: "unknown", cause: error });
  }
  if (size <= maxBytes) return Buffer.concat(chunks).toString();
  throw new BiplaneError("EXECUTION_ERROR", `the answer from ${response.url} is larger than ${maxBytes} bytes`);
}
