import { argument, file } from "./command/define.ts";

/** The files of a recording, of which a command takes one or more. */
export const recordingArg = argument("Recordings, made with biplane record", {
  takes: file,
  valueHint: "file …",
  required: true,
});
