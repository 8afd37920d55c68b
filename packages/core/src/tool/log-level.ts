export type LogLevel = (typeof logLevels)[number];
export const logLevels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
