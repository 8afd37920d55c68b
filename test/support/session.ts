/** What our page sends with every request once it is logged in. */
export type SessionHeaders = { cookie: string; "x-biplane": string };

/** Reads them from the answer to a login. */
export async function sessionHeaders(response: Response): Promise<SessionHeaders> {
  const cookie = (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const { key = "" } = (await response.json()) as { key?: string };
  return { cookie, "x-biplane": key };
}
