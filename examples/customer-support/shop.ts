/** An order as the shop keeps it. `deliveredDaysAgo` is null until it is delivered. */
export interface Order {
  readonly id: string;
  readonly item: string;
  readonly price: number;
  status: "processing" | "shipped" | "delivered" | "cancelled";
  readonly deliveredDaysAgo: number | null;
  refunded: number;
}

/** The orders of a customer, fresh for every episode. */
export function ordersOf(customer: string): Order[] {
  return (orders[customer] ?? []).map(([id, item, price, status, deliveredDaysAgo = null, refunded = 0]) => ({
    id,
    item,
    price,
    status,
    deliveredDaysAgo,
    refunded,
  }));
}

type Entry = [id: string, item: string, price: number, status: Order["status"], daysAgo?: number, refunded?: number];

const orders: Readonly<Record<string, readonly Entry[]>> = {
  ada: [
    ["A-100", "lamp", 40, "processing"],
    ["A-101", "desk", 240, "delivered", 5],
    ["A-102", "kettle", 30, "delivered", 12],
    ["A-103", "chair", 90, "shipped"],
    ["A-104", "mug", 12, "delivered", 45],
  ],
  ben: [
    ["B-200", "phone case", 20, "delivered", 2],
    ["B-201", "headphones", 180, "delivered", 29],
    ["B-202", "monitor", 320, "processing"],
    ["B-203", "cable", 9, "delivered", 31],
    ["B-204", "keyboard", 75, "delivered", 7, 75],
  ],
  cleo: [
    ["C-300", "tent", 150, "delivered", 10],
    ["C-301", "stove", 60, "delivered", 10],
    ["C-302", "boots", 110, "processing"],
    ["C-303", "map", 15, "processing"],
    ["C-304", "jacket", 210, "delivered", 3],
  ],
  dan: [
    ["D-400", "blender", 80, "shipped"],
    ["D-401", "toaster", 50, "delivered", 30],
    ["D-402", "juicer", 200, "delivered", 1],
    ["D-404", "pot", 45, "delivered", 6],
  ],
};
