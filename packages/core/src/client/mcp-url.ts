/**
 * The MCP endpoint of a URL. If nothing is served at the URL itself, MCP is expected at `/mcp` below it, as with the
 * base URL that `biplane serve` prints for trainers.
 */
export async function mcpUrl(text: string): Promise<string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || /\/mcp\/*$/.test(url.pathname)) return text;
  try {
    const headers = { "content-type": "application/json" };
    const signal = AbortSignal.timeout(5000);
    const response = await fetch(url, { method: "POST", body: "{}", headers, redirect: "manual", signal });
    await response.body?.cancel();
    return response.status === 404 ? `${url.href.replace(/\/+$/, "")}/mcp` : text;
  } catch {
    return text; // connecting to it reports the problem
  }
}
