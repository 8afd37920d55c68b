export * from "@biplane/core/client";
export { readServerFile as readServers } from "./config/read-server-file.ts";
