import { signal } from "@preact/signals";

/** A fork that was made on this page: from which episode, at which step. */
interface Fork {
  readonly from: string;
  readonly to: string;
  readonly step: number;
}

/** The forks that were made here, so that both sides can point at each other. */
export const forks = signal<readonly Fork[]>([]);

export function rememberFork(fork: Fork): void {
  forks.value = [...forks.value, fork].slice(-200);
}
