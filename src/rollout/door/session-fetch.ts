/**
 * What a session's requests go through. It counts the greetings, since a session that was greeted twice is another one;
 * and it opens no standing stream, for a rollout waits for nothing that it has not asked for.
 */
export class SessionFetch {
  /** How many sessions the server has given. */
  count = 0;

  readonly fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    if (init.method === "GET") return new Response(null, { status: 405 });
    const response = await fetch(url, init);
    if (typeof init.body === "string" && response.ok && init.body.includes('"method":"initialize"')) this.count++;
    return response;
  };
}
