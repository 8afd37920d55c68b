import { BiplaneError } from "../../errors.ts";

/** Who gets a message. */
export interface ChatTarget {
  readonly kind: "user" | "channel";
  readonly id: string;
}

/** Reads `user:<id>`, `channel:<id>` or a bare id, which is a channel's; `idPattern` is what the provider's ids are. */
export function parseTarget(text: string, options: { provider: string; idPattern: RegExp }): ChatTarget {
  const [, kind = "channel", id = ""] = /^(?:(user|channel):)?(.*)$/s.exec(text) ?? [];
  if (!options.idPattern.test(id)) {
    const shown = JSON.stringify(text).slice(0, 80);
    throw new BiplaneError(
      "INVALID_INPUT",
      `${shown} is no target of ${options.provider}: give channel:<id>, user:<id> or an id`,
    );
  }
  return { kind: kind as ChatTarget["kind"], id };
}

/** Says whether a target is among those that were configured. */
export function isListed({ kind, id }: ChatTarget, targets: readonly string[]): boolean {
  const named = `${kind}:${id}`;
  return targets.some((listed) => listed === "*" || listed === named || (kind === "channel" && listed === id));
}
