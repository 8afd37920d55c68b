/** The cookie that a session lives in. Other sites never send it, scripts never see it, and over https only https does. */
export interface SessionCookie {
  /** The session's id, if the request has exactly one. */
  read(header: string | string[] | undefined): string | undefined;
  set(id: string, lastsMs: number): string;
  clear(): string;
}

/** `__Host-` is a promise that browsers hold us to: our own host, all of it, over https. */
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
      // Two of them: somebody else has put one there, and which is ours nobody can say.
      const [only, ...others] = values;
      return only !== undefined && others.length === 0 && /^[\w-]{43}$/.test(only) ? only : undefined;
    },
    set: (id, lastsMs) => `${name}=${id}; Max-Age=${Math.floor(lastsMs / 1000)}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}
