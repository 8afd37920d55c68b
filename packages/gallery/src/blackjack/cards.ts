import type { Random } from "@biplane/core/internal";

/** Card values: 1 is an ace; 10 is also jack, queen and king. */
export type Hand = number[];

/** Draws from an infinite deck. */
export function drawCard(random: Random): number {
  return random.choice(deck);
}

const deck = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10];

/** The value of a hand: an ace counts 11 unless that exceeds 21. */
export function total(hand: Hand): number {
  return hasUsableAce(hand) ? sum(hand) + 10 : sum(hand);
}

/** Whether an ace in the hand counts 11. */
export function hasUsableAce(hand: Hand): boolean {
  return hand.includes(1) && sum(hand) + 10 <= 21;
}

export function isBust(hand: Hand): boolean {
  return total(hand) > 21;
}

/** An ace and a ten, and nothing else. */
export function isNatural(hand: Hand): boolean {
  return hand.length === 2 && total(hand) === 21;
}

function sum(hand: Hand): number {
  return hand.reduce((left, right) => left + right, 0);
}
