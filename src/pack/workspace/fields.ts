/** Parts of schemas that several tools share. */
export const pathField = {
  type: "string",
  minLength: 1,
  description: "Path in the workspace: relative, or beginning with /workspace/",
} as const;

export const optionalPathField = {
  ...pathField,
  description: `${pathField.description}; the whole workspace if left out`,
};
