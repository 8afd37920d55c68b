/** What a decision is named after if no rule matches. */
export const noRule = "no rule";
