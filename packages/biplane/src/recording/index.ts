export { recordSessions } from "./session-recorder.ts";
export type { SessionRecorder, SessionRecorderOptions } from "./session-recorder.ts";
export { readSessionRecordings } from "./read-sessions.ts";
export type { SessionRecording, SessionRecordings } from "./read-sessions.ts";
export { recordedServer } from "./recorded-server.ts";
export type { RecordedServerOptions } from "./recorded-server.ts";
export { labelSession } from "./label-session.ts";
export { recordingVersion } from "./format.ts";
export type {
  LimitReached,
  RecordedAnswer,
  SessionCall,
  RecordedError,
  RecordedLists,
  RecordedSession,
  RecordingHeader,
  RecordingLine,
  SessionLabel,
} from "./format.ts";
