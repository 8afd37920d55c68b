export { recordSessions } from "./session-recorder.ts";
export type { SessionRecorder, SessionRecorderOptions } from "./session-recorder.ts";
export { readSessionRecordings } from "./read-sessions.ts";
export type { SessionRecording, SessionRecordings } from "./read-sessions.ts";
export { recordedServer } from "./recorded-server.ts";
export type { RecordedServerOptions } from "./recorded-server.ts";
export { answerTool, environmentFromRecording } from "./recorded-environment.ts";
export type { RecordedEnvironmentOptions } from "./recorded-environment.ts";
export type { PathDivergence, PathOrder, PathState } from "./recorded-path.ts";
export type { AnswerJudge, PathWeights } from "./path-reward.ts";
export { answerJudge } from "./answer-judge.ts";
export { liveFallback } from "./live-fallback.ts";
export type { LiveFallback, LiveFallbackOptions } from "./live-fallback.ts";
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
