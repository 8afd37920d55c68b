import { environment } from "@biplane/core";
import type { Random } from "@biplane/core/internal";
import { drawCard, hasUsableAce, isBust, isNatural, total } from "./cards.ts";
import type { Hand } from "./cards.ts";

/** Get closer to 21 than the dealer without going over. Gymnasium's Blackjack-v1: same seed, same cards. */
export function blackjack() {
  return environment({
    name: "blackjack",
    version: "1.0.0",
    description: "Get closer to 21 than the dealer without going over. The dealer draws until 17.",
    config: {
      type: "object",
      properties: {
        natural: { type: "boolean", description: "Without sab: a win with an ace and a ten pays 1.5 (default: false)" },
        sab: {
          type: "boolean",
          description: "The rules of Sutton and Barto: an ace and a ten beat any other 21, and pay 1 (default: true)",
        },
        max_steps: { type: "integer", minimum: 1 },
      },
    },
    start: ({ config, random }): Table => ({
      ...deal(random),
      hasStuck: false,
      paysNatural: config["natural"] === true,
      followsSuttonAndBarto: config["sab"] !== false,
    }),
    observe,
    tools: (tool) => ({
      blackjack_move: tool({
        description: "STICK with the cards you have, or HIT to take one more",
        input: { type: "object", properties: { action: { enum: ["STICK", "HIT"] } }, required: ["action"] },
        run: ({ action }, { state: table, random }) => {
          if (action === "HIT") table.player.push(drawCard(random));
          else stick(table, random);
          return { ...observe(table), action };
        },
      }),
    }),
    rewardRange: [-1, 1.5],
    reward: ({ after }) => {
      if (after.hasStuck) return settle(after);
      return isBust(after.player) ? -1 : 0;
    },
    status: (table, { stepCount, config }) => ({
      terminated: isOver(table),
      truncated: stepCount >= Number(config["max_steps"] ?? Infinity),
    }),
    info: () => ({}),
    render: draw,
  });
}

interface Table {
  dealer: Hand;
  player: Hand;
  /** The dealer's face-up card as printed: `QH` is the queen of hearts. */
  readonly openCard: string;
  readonly paysNatural: boolean;
  readonly followsSuttonAndBarto: boolean;
  hasStuck: boolean;
}

function deal(random: Random): Pick<Table, "dealer" | "player" | "openCard"> {
  const dealer = [drawCard(random), drawCard(random)];
  const player = [drawCard(random), drawCard(random)];
  const suit = random.choice(["C", "D", "H", "S"]);
  const face = dealer[0] === 10 ? random.choice(["J", "Q", "K"]) : name(dealer[0]);
  return { dealer, player, openCard: `${face}${suit}` };
}

function observe({ dealer, player }: Table) {
  return { player_sum: total(player), dealer_card: dealer[0], usable_ace: Number(hasUsableAce(player)) };
}

/** The dealer's turn. */
function stick(table: Table, random: Random): void {
  table.hasStuck = true;
  while (total(table.dealer) < 17) table.dealer.push(drawCard(random));
}

/** The player's payoff once all cards are drawn. */
function settle({ dealer, player, paysNatural, followsSuttonAndBarto }: Table): number {
  const won = Math.sign(score(player) - score(dealer));
  if (followsSuttonAndBarto) return isNatural(player) && !isNatural(dealer) ? 1 : won;
  return paysNatural && isNatural(player) && won === 1 ? 1.5 : won;
}

function score(hand: Hand): number {
  return isBust(hand) ? 0 : total(hand);
}

function isOver(table: Table): boolean {
  return table.hasStuck || isBust(table.player);
}

/** Text version of gymnasium's image. The dealer's other cards stay hidden until the end. */
function draw(table: Table): string {
  const { dealer, player, openCard } = table;
  const others = isOver(table) ? `${dealer.slice(1).map(name).join(" ")} (${total(dealer)})` : "?";
  return `Dealer: ${openCard} ${others}\nPlayer: ${player.map(name).join(" ")} (${total(player)})\n`;
}

function name(card: number | undefined): string {
  return card === 1 ? "A" : String(card);
}
