export const pathField = {
  type: "string",
  minLength: 1,
  description: "Path in the vault: relative, or beginning with /vault/",
} as const;
