/** The session cookie. Other sites never send it and scripts cannot read it. */
export interface SessionCookie {
  /** The session id, if the request has exactly one. */
  read(header: string | string[] | undefined): string | undefined;
  set(id: string, lastsMs: number): string;
  clear(): string;
}

/** Browsers accept the `__Host-` prefix only for our own host, over https. */
export function sessionCookie(origin: string): SessionCookie {
  const isSecure = origin.startsWith("https:");
  const name = isSecure ? "__Host-biplane" : "biplane";
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  return {
    read(header) {
      if (typeof header !== "string") return undefined;
      const values = header.split(";").flatMap((pair) => {
        const [key, ...value] = pair.split("=");
        return key?.trim() === name ? [value.join("=").trim()] : [];
      });
      // If there are two, another program set one, and ours cannot be told apart.
      const [only, ...others] = values;
      return only !== undefined && others.length === 0 && /^[\w-]{43}$/.test(only) ? only : undefined;
    },
    set: (id, lastsMs) => `${name}=${id}; Max-Age=${Math.floor(lastsMs / 1000)}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}
