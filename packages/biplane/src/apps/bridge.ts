export * from "@biplane/core/apps/bridge";
