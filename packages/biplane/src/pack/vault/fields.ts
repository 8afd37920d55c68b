export const vaultPathField = {
  type: "string",
  minLength: 1,
  description: "Path in the vault: relative, or starting with /vault/",
} as const;
