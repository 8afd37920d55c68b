import { addDays, products, contactDay } from "../catalogue.ts";
import { customerId, orderId, supportTool } from "../support-tool.ts";
import type { ProductId } from "../tables.ts";

export const orderTools = {
  order_get: supportTool({
    description: "Get an order: product, price, status, and when it was or will be delivered.",
    parameters: { order_id: orderId },
    run: ({ records }, { order_id: id }) => records.get("orders", id),
  }),
  order_create: supportTool({
    description: "Order a product for a customer: a purchase at its price, or a free replacement under warranty.",
    writes: true,
    parameters: {
      customer_id: customerId,
      product: { enum: Object.keys(products) as ProductId[] },
      reason: { enum: ["purchase", "warranty"] },
      delivery: { enum: ["home", "pickup"], description: "To the home address or to a pickup point" },
    },
    run: ({ records }, { customer_id: id, product, reason, delivery }) => {
      records.get("customers", id);
      const order = records.add("orders", {
        customer_id: id,
        product,
        price: reason === "warranty" ? 0 : products[product],
        status: "processing",
        ordered_on: contactDay,
        expected_on: addDays(contactDay, 3),
        delivered_on: null,
        reason,
        delivery,
      });
      return order;
    },
  }),
  order_cancel: supportTool({
    description: "Cancel an order that is processing. Its price is not charged.",
    writes: true,
    parameters: { order_id: orderId },
    run: ({ records }, { order_id: id }) => {
      const { status } = records.get("orders", id);
      if (status !== "processing")
        throw new Error(`${id} is ${status}. Only an order that is processing can be cancelled.`);
      return records.update("orders", id, { status: "cancelled" });
    },
  }),
  order_return: supportTool({
    description: "Take back a delivered product. The price is paid back when it arrives.",
    writes: true,
    parameters: { order_id: orderId, condition: { enum: ["unopened", "defective"] } },
    run: ({ records }, { order_id: id }) => {
      const { status } = records.get("orders", id);
      if (status !== "delivered") throw new Error(`${id} is ${status}. Only a delivered order can be returned.`);
      return records.update("orders", id, { status: "returned" });
    },
  }),
};
