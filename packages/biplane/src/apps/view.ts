export * from "@biplane/core/apps/view";
