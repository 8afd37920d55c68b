import type { SessionLabel } from "./format.ts";
import { RecordingFile } from "./recording-file.ts";

/** Adds a label to a session of a recording. */
export function labelSession(
  file: string,
  session: string,
  label: Omit<SessionLabel, "type" | "session" | "at">,
): void {
  const recording = new RecordingFile(file, { maxBytes: Infinity });
  try {
    recording.append({ type: "label", session, at: new Date().toISOString(), ...label });
  } finally {
    recording.close();
  }
}
