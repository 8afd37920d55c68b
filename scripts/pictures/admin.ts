/** Somebody who is signed in to the admin API. */
export interface Admin {
  readonly name: string;
  readonly ask: <Answer = Record<string, unknown>>(line: string, body?: unknown) => Promise<Answer>;
}

export const passphrase = "gentle copper lighthouse window";

/** Creates the administrator. */
export async function setUp(url: string, code: string | undefined, name: string): Promise<Admin> {
  return signedIn(url, name, { path: "/api/setup", body: { code, name, passphrase } });
}

export async function signIn(url: string, name: string): Promise<Admin> {
  return signedIn(url, name, { path: "/api/session", body: { name, passphrase } });
}

async function signedIn(url: string, name: string, { path, body }: { path: string; body: unknown }): Promise<Admin> {
  const plain = { "content-type": "application/json" };
  const response = await fetch(url + path, { method: "POST", headers: plain, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${name} cannot sign in: ${response.status} ${await response.text()}`);
  const { key } = (await response.json()) as { key: string };
  const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";");
  const headers = { ...plain, cookie, "x-biplane": key };
  return {
    name,
    ask: async <Answer>(line: string, given?: unknown) => {
      const [method = "", address = ""] = line.split(" ");
      const init = { method, headers, ...(given !== undefined && { body: JSON.stringify(given) }) };
      const answer = await fetch(url + address, init);
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${line} answered ${answer.status}: ${text}`);
      return (text === "" ? {} : JSON.parse(text)) as Answer;
    },
  };
}
