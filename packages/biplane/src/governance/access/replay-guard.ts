import { hash, randomUUID } from "node:crypto";
import { BiplaneError } from "@biplane/core";
import type { Store } from "@biplane/core";

/** Remembers proofs until they expire, so that none is accepted twice. */
export interface ReplayGuard {
  /** False if the proof was claimed before. */
  claim(proof: UsedProof): boolean | Promise<boolean>;
}

export interface UsedProof {
  /** The key that signed it. */
  readonly thumbprint: string;
  readonly id: string;
  /** Milliseconds since 1970. Later it is refused for its age. */
  readonly until: number;
}

export interface ReplayLimits {
  /** Proofs of one key that are remembered at a time (default: 20,000). */
  readonly perKey?: number;
  /** Proofs that are remembered at a time (default: 200,000). */
  readonly total?: number;
}

/** Remembers proofs in this process. Beyond its limits, it refuses proofs rather than forget one. */
export function memoryReplayGuard(options: ReplayLimits & { now?: () => number } = {}): ReplayGuard {
  const { perKey = 20_000, total = 200_000, now = Date.now } = options;
  const keys = new Map<string, Map<string, number>>();
  let count = 0;
  const forgetExpired = () => {
    for (const [thumbprint, used] of keys) {
      for (const [id, until] of used) if (until < now() && used.delete(id)) count--;
      if (used.size === 0) keys.delete(thumbprint);
    }
  };
  let sweepAt = 1000;
  let sweptAt = -Infinity;
  return {
    claim({ thumbprint, id, until }) {
      const proof = keyOf(id);
      let used = keys.get(thumbprint);
      if (used?.has(proof)) return false;
      // A sweep looks through all proofs, so that one key with too many must not cause one at each call.
      const isFull = count >= sweepAt || (used?.size ?? 0) >= perKey;
      if (isFull && now() - sweptAt >= sweepEveryMs) {
        sweptAt = now();
        forgetExpired();
        sweepAt = Math.min(Math.max(2 * count, 1000), total);
        used = keys.get(thumbprint);
      }
      if ((used?.size ?? 0) >= perKey || count >= total) throw tooMany();
      if (!used) keys.set(thumbprint, (used = new Map()));
      used.set(proof, until);
      count++;
      return true;
    },
  };
}

/** Remembers proofs in a store, for processes that share it. */
export function storeReplayGuard(store: Store, options: ReplayLimits & { now?: () => number } = {}): ReplayGuard {
  const { now = Date.now } = options;
  const own = memoryReplayGuard(options);
  let untilSweep = 0;
  const sweep = async () => {
    for (const [key] of await store.list(collection, { limit: 2 * sweepEvery })) {
      if (Number(key.split(".", 1)[0]) >= now()) return;
      await store.delete(collection, key);
    }
  };
  return {
    async claim(proof) {
      if (!(await own.claim(proof))) return false;
      const by = randomUUID();
      // `until` follows from the signed proof, so that every process makes the same key. Keys sort by time.
      const key = `${String(proof.until).padStart(16, "0")}.${keyOf(`${proof.thumbprint} ${proof.id}`)}`;
      const kept = await store.change(collection, key, (known) => known ?? { by });
      if (untilSweep-- <= 0) {
        untilSweep = sweepEvery;
        await sweep();
      }
      return kept?.["by"] === by;
    },
  };
}

/** A hash, because ids are up to the caller. */
function keyOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 22);
}

function tooMany(): BiplaneError {
  return new BiplaneError("CAPACITY", "Too many DPoP proofs in a short time. Try again in a few seconds.");
}

const collection = "dpop-proofs";
const sweepEvery = 100;
const sweepEveryMs = 1000;
