import { BiplaneError } from "../errors.ts";
import { decodeText } from "../bounds/decode-text.ts";
import { connectionLost } from "./connection-lost.ts";

/** Reads the body of a response, up to a limit. */
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
    throw connectionLost(`The response from ${response.url} broke off.`, { delivered: "unknown", cause: error });
  }
  if (size > maxBytes) {
    const message = `The response from ${response.url} is larger than ${maxBytes} bytes. Raise maxMessageBytes if it needs more.`;
    throw new BiplaneError("EXECUTION_ERROR", message);
  }
  const text = decodeText(Buffer.concat(chunks));
  if (text === undefined) throw new BiplaneError("EXECUTION_ERROR", `The response from ${response.url} is not UTF-8.`);
  return text;
}
