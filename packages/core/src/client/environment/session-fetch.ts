/**
 * The `fetch` of one session. Counts `initialize` requests, because a second one means that the session was lost.
 * Rejects the GET stream, because an environment sends nothing of its own accord.
 */
export class SessionFetch {
  /** Sessions opened so far. */
  count = 0;

  readonly fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    if (init.method === "GET") return new Response(null, { status: 405 });
    const response = await fetch(url, init);
    if (typeof init.body === "string" && response.ok && init.body.includes('"method":"initialize"')) this.count++;
    return response;
  };
}
