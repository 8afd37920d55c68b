import { HttpCassette } from "./http-cassette.ts";
import { flag, path } from "../options.ts";

/** Options of packs whose HTTP requests can be recorded, for tests. */
export const cassetteMembers = {
  record: flag(false, "Send requests that `cassette` does not have, and keep them in it"),
  cassette: path("JSONL file that answers HTTP requests, for tests (default with `record`: `cassettes/<pack>.jsonl`)"),
} as const;

/** The cassette that a pack's options name. Undefined if requests go to the network. */
export function openCassette(
  pack: string,
  options: { record: boolean; cassette?: string | undefined; secrets?: readonly string[] },
): HttpCassette | undefined {
  const { record, cassette, secrets = [] } = options;
  if (!record && cassette === undefined) return undefined;
  return new HttpCassette({ file: cassette ?? `cassettes/${pack}.jsonl`, isRecording: record, secrets });
}
