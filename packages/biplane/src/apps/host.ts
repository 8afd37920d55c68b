export * from "@biplane/core/apps/host";
