/** How the page can call a tool. All but `app` use a real transport, so their results can be compared. */
export const callVias = ["mcp-2026-07-28", "mcp-2025-11-25", "execute", "step", "code", "app"] as const;
export type CallVia = (typeof callVias)[number];
