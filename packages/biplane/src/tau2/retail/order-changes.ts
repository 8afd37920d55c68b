import { PythonError } from "../python-error.ts";
import { roundToCents } from "../python-number.ts";
import { addToGiftCard, orderOf, paymentMethodOf, shopperOf, variantOf } from "./retail-lookup.ts";
import type { Order, RetailAddress, RetailTables, Variant } from "./retail-models.ts";

interface Cancellation {
  readonly order_id: string;
  readonly reason: string;
}

/** Cancels an order. The checks of each function run in the reference's order, which decides the error. */
export function cancelOrder(tables: RetailTables, { order_id: id, reason }: Cancellation): Order {
  const { status, user_id: userId, payment_history: payments } = orderOf(tables, id);
  if (status !== "pending") throw new PythonError("Non-pending order cannot be cancelled");
  if (!["no longer needed", "ordered by mistake"].includes(reason)) throw new PythonError("Invalid reason");
  const refunds = payments.map(({ amount, payment_method_id: methodId }) => {
    addToGiftCard(tables, { userId, methodId, amount });
    return { transaction_type: "refund" as const, amount, payment_method_id: methodId };
  });
  const order = tables.edit("orders", id);
  order.status = "cancelled";
  order.cancel_reason = reason;
  order.payment_history.push(...refunds);
  return order;
}

interface ItemExchange {
  readonly order_id: string;
  readonly item_ids: readonly string[];
  readonly new_item_ids: readonly string[];
  readonly payment_method_id: string;
}

/** Requests an exchange. No money moves. */
export function exchangeItems(tables: RetailTables, exchange: ItemExchange): Order {
  const { order_id: id, item_ids: old, new_item_ids: wanted, payment_method_id: methodId } = exchange;
  const { status, user_id: userId } = orderOf(tables, id);
  if (status !== "delivered") throw new PythonError("Non-delivered order cannot be exchanged");
  checkCounts(orderOf(tables, id), old, (item) => `Number of ${item} not found.`);
  if (old.length !== wanted.length) throw new PythonError("The number of items to be exchanged should match.");
  const { difference } = compareVariants(tables, exchange, () => undefined);
  const rounded = roundToCents(difference);
  const method = paymentMethodOf(tables, userId, methodId);
  if (method.source === "gift_card" && method.balance < rounded)
    throw new PythonError("Insufficient gift card balance to pay for the price difference");
  const order = tables.edit("orders", id);
  order.status = "exchange requested";
  order.exchange_items = old.toSorted();
  order.exchange_new_items = wanted.toSorted();
  order.exchange_payment_method_id = methodId;
  order.exchange_price_difference = old.length === 0 ? { python_int: 0 } : rounded;
  return order;
}

/** Changes items of an order that is not shipped. */
export function modifyItems(tables: RetailTables, exchange: ItemExchange, fixed: boolean): Order {
  const { order_id: id, item_ids: old, new_item_ids: wanted, payment_method_id: methodId } = exchange;
  const { status, user_id: userId } = orderOf(tables, id);
  if (status !== "pending") throw new PythonError("Non-pending order cannot be modified");
  checkCounts(orderOf(tables, id), old, (item) => `${item} not found`);
  if (old.length !== wanted.length) throw new PythonError("The number of items to be exchanged should match");
  const { difference, variants } = compareVariants(tables, exchange, (before, after) => {
    if (before === after) throw new PythonError("The new item id should be different from the old item id");
  });
  const method = paymentMethodOf(tables, userId, methodId);
  if (method.source === "gift_card" && method.balance < difference)
    throw new PythonError("Insufficient gift card balance to pay for the new item");
  const order = tables.edit("orders", id);
  const transaction = difference > 0 ? "payment" : "refund";
  order.payment_history.push({
    transaction_type: transaction,
    amount: Math.abs(difference),
    payment_method_id: methodId,
  });
  addToGiftCard(tables, { userId, methodId, amount: -difference });
  for (const [index, before] of old.entries()) {
    const item = order.items.find((each) => each.item_id === before);
    // The reference gives every item the price and options of the last variant.
    const variant = variants[fixed ? index : variants.length - 1];
    if (!item || !variant) throw new PythonError(`Item ${before} not found`);
    item.item_id = wanted[index] ?? before;
    item.price = variant.price;
    item.options = { ...variant.options };
  }
  order.status = "pending (item modified)";
  return order;
}

function checkCounts({ items }: Order, wanted: readonly string[], message: (item: string) => string): void {
  const count = (list: readonly string[], id: string) => list.filter((each) => each === id).length;
  const present = items.map(({ item_id: id }) => id);
  for (const id of wanted) if (count(wanted, id) > count(present, id)) throw new PythonError(message(id));
}

function compareVariants(
  tables: RetailTables,
  { order_id: id, item_ids: old, new_item_ids: wanted }: ItemExchange,
  check: (before: string, after: string) => void,
): { difference: number; variants: Variant[] } {
  const { items } = orderOf(tables, id);
  let difference = 0;
  const variants = old.map((before, index) => {
    const after = wanted[index] ?? "";
    check(before, after);
    const item = items.find((each) => each.item_id === before);
    if (!item) throw new PythonError(`Item ${before} not found`);
    const variant = variantOf(tables, item.product_id, after);
    if (!variant.available) throw new PythonError(`New item ${after} not found or available`);
    difference += variant.price - item.price;
    return variant;
  });
  return { difference, variants };
}

export function changePayment(
  tables: RetailTables,
  { order_id: id, payment_method_id: methodId }: Pick<ItemExchange, "order_id" | "payment_method_id">,
): Order {
  const { user_id: userId, payment_history: payments } = checkPending(orderOf(tables, id));
  const method = paymentMethodOf(tables, userId, methodId);
  const [payment, second] = payments;
  if (!payment || second || payment.transaction_type !== "payment")
    throw new PythonError("There should be exactly one payment for a pending order");
  const { amount, payment_method_id: oldId } = payment;
  if (oldId === methodId) throw new PythonError("The new payment method should be different from the current one");
  if (method.source === "gift_card" && method.balance < amount)
    throw new PythonError("Insufficient gift card balance to pay for the order");
  const order = tables.edit("orders", id);
  order.payment_history.push(
    { transaction_type: "payment", amount, payment_method_id: methodId },
    { transaction_type: "refund", amount, payment_method_id: oldId },
  );
  addToGiftCard(tables, { userId, methodId, amount: -amount });
  addToGiftCard(tables, { userId, methodId: oldId, amount });
  return order;
}

export function changeAddress(tables: RetailTables, id: string, address: RetailAddress): Order {
  checkPending(orderOf(tables, id));
  const order = tables.edit("orders", id);
  order.address = address;
  return order;
}

function checkPending(order: Order): Order {
  if (!order.status.includes("pending")) throw new PythonError("Non-pending order cannot be modified");
  return order;
}

export function returnItems(
  tables: RetailTables,
  { order_id: id, item_ids: items, payment_method_id: methodId }: Omit<ItemExchange, "new_item_ids">,
): Order {
  const { status, user_id: userId, payment_history: payments } = orderOf(tables, id);
  if (status !== "delivered") throw new PythonError("Non-delivered order cannot be returned");
  shopperOf(tables, userId);
  const method = paymentMethodOf(tables, userId, methodId);
  if (method.source !== "gift_card" && methodId !== payments[0]?.payment_method_id)
    throw new PythonError("Payment method should be the original payment method");
  checkCounts(orderOf(tables, id), items, () => "Some item not found");
  const order = tables.edit("orders", id);
  order.status = "return requested";
  order.return_items = items.toSorted();
  order.return_payment_method_id = methodId;
  return order;
}
