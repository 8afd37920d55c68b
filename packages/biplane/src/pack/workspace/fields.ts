export const workspacePathField = {
  type: "string",
  minLength: 1,
  description: "Path in the workspace: relative, or starting with /workspace/",
} as const;

export const optionalWorkspacePathField = {
  ...workspacePathField,
  description: `${workspacePathField.description} (default: the whole workspace)`,
};
