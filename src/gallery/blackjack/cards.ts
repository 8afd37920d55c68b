import type { Random } from "../../environment/random/random.ts";

/** The values of a player's or dealer's cards: 1 is an ace, 10 also stands for jack, queen and king. */
export type Hand = number[];

/** A card from a pack that never runs out. */
export function drawCard(random: Random): number {
  return random.choice(pack);
}

const pack = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10];

/** What a hand counts: an ace is 11 as long as that does not go over 21. */
export function total(hand: Hand): number {
  return hasUsableAce(hand) ? sum(hand) + 10 : sum(hand);
}

/** Whether an ace of the hand counts 11. */
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
