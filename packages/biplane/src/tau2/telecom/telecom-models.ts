import { dateTime, each, float, listOf, mapOf, model, optional, asIs, presetFields, text } from "../model.ts";
import type { DataOf } from "../model.ts";

const lineItem = model({ description: text, amount: float, ...each(text, "date", "item_type") });

export const planType = model({
  ...each(text, "plan_id", "name"),
  ...each(float, "data_limit_gb", "price_per_month", "data_refueling_price_per_gb"),
});

export const customerType = model({
  ...each(text, "customer_id", "full_name", "date_of_birth", "email", "phone_number"),
  address: model(each(text, "street", "city", "state", "zip_code")),
  account_status: optional(text, "Pending Verification"),
  payment_methods: optional(listOf(model(each(text, "method_type", "account_number_last_4", "expiration_date"))), []),
  ...presetFields({ line_ids: [] as string[], bill_ids: [] as string[] }),
  created_at: optional(dateTime, "2025-01-01"),
  last_extension_date: optional(text),
  goodwill_credit_used_this_year: optional(float, 0),
});

export const lineType = model({
  ...each(text, "line_id", "phone_number"),
  status: optional(text, "Pending Activation"),
  plan_id: text,
  device_id: optional(text),
  ...each(optional(float, 0), "data_used_gb", "data_refueling_gb"),
  ...presetFields({ roaming_enabled: false }),
  ...each(optional(text), "contract_end_date", "last_plan_change_date"),
  ...each(optional(text), "last_sim_replacement_date", "suspension_start_date"),
});

export const billType = model({
  ...each(text, "bill_id", "customer_id", "period_start", "period_end", "issue_date"),
  total_due: float,
  due_date: text,
  line_items: optional(listOf(lineItem), []),
  status: optional(text, "Draft"),
});

export const deviceType = model({
  ...each(text, "device_id", "device_type", "model"),
  imei: optional(text),
  is_esim_capable: asIs<boolean>(),
  activated: optional(asIs<boolean>(), false),
  ...each(optional(dateTime), "activation_date", "last_esim_transfer_date"),
});

/** The company's database. */
export const companyType = model({
  plans: optional(listOf(planType), []),
  customers: optional(listOf(customerType), []),
  lines: optional(listOf(lineType), []),
  bills: optional(listOf(billType), []),
  devices: optional(listOf(deviceType), []),
});

export const apnDefaults = {
  apn_name: "internet",
  reset_at_reboot: false,
  mms_apn: "mms" as string | null,
  mmsc_url: "http://mms.carrier.com/mms/wapenc" as string | null,
  mms_proxy: null as string | null,
  mms_port: null as number | null,
};

const cellularDefaults = {
  sim_card_status: "active",
  sim_card_missing: false,
  airplane_mode: false,
  network_signal_strength: "good",
  network_technology_connected: "5G",
  network_connection_status: "connected",
  battery_level: 80,
  data_enabled: true,
  roaming_enabled: false,
  network_mode_preference: "4g_5g_preferred",
};

const connectionDefaults = {
  wifi_enabled: false,
  wifi_connected: false,
  wifi_ssid: null as string | null,
  wifi_signal_strength: "none",
  wifi_calling_enabled: false,
  wifi_calling_mms_over_wifi: false,
  data_saver_mode: false,
  vpn_enabled_setting: false,
  vpn_connected: false,
  vpn_details: null as Record<"server_address" | "protocol" | "server_performance", string> | null,
};

const surroundingDefaults = {
  name: null as string | null,
  phone_number: null as string | null,
  is_abroad: false,
  roaming_allowed: false,
  signal_strength: { "2G": "poor", "3G": "fair", "4G": "good", "5G": "excellent" } as Readonly<Record<string, string>>,
  mobile_data_usage_exceeded: false,
  line_active: true,
};

const appPermissions = model(presetFields({ sms: false, storage: false, phone: false, network: false }));
const paymentRequest = model({ bill_id: text, amount_due: float, paid: optional(asIs<boolean>(), false) });

/** The user's phone and surroundings. */
export const phoneType = model({
  device: model({
    ...presetFields(cellularDefaults),
    active_apn_settings: optional(model(presetFields(apnDefaults)), apnDefaults),
    ...presetFields(connectionDefaults),
    app_statuses: mapOf(model({ app_name: text, permissions: appPermissions })),
  }),
  surroundings: optional(model({ ...presetFields(surroundingDefaults), payment_request: optional(paymentRequest) }), {
    ...surroundingDefaults,
    payment_request: null,
  }),
});

export type Line = DataOf<typeof lineType>;
export type Bill = DataOf<typeof billType>;
export type Customer = DataOf<typeof customerType>;
export type Company = DataOf<typeof companyType>;
export type ApnSettings = typeof apnDefaults;
export type Phone = DataOf<typeof phoneType>;
export type PhoneDevice = Phone["device"];

/** Both databases of an episode: plain data. */
export interface TelecomState {
  readonly company: Company;
  readonly phone: Phone;
  /** How many bills were made here. Their ids are counted, where the reference draws them at random. */
  billCount: number;
}
