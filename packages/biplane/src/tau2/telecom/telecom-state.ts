import type { cellularDefaults, connectionDefaults, surroundingDefaults } from "./telecom-models.ts";

/** Both databases of an episode: plain data. */
export interface TelecomState {
  readonly company: Company;
  readonly phone: Phone;
  /** How many bills were made here. Their ids are counted, where the reference draws them at random. */
  billCount: number;
}

export interface Company {
  readonly plans: Plan[];
  readonly customers: Customer[];
  readonly lines: Line[];
  readonly bills: Bill[];
  readonly devices: { readonly device_id: string }[];
}

export interface Plan {
  readonly plan_id: string;
  readonly data_limit_gb: number;
  readonly price_per_month: number;
  readonly data_refueling_price_per_gb: number;
}

export interface Customer {
  readonly customer_id: string;
  readonly full_name: string;
  readonly date_of_birth: string;
  readonly phone_number: string;
  readonly line_ids: string[];
  readonly bill_ids: string[];
}

export interface Line {
  readonly line_id: string;
  readonly phone_number: string;
  readonly plan_id: string;
  status: string;
  data_used_gb: number;
  data_refueling_gb: number;
  roaming_enabled: boolean;
  contract_end_date: string | null;
  suspension_start_date: string | null;
}

export interface Bill {
  readonly bill_id: string;
  readonly customer_id: string;
  readonly period_start: string;
  readonly period_end: string;
  readonly issue_date: string;
  total_due: number;
  readonly due_date: string;
  readonly line_items: { description: string; amount: number; date: string; item_type: string }[];
  status: string;
}

export interface Phone {
  readonly device: PhoneDevice;
  readonly surroundings: Surroundings;
}

export type PhoneDevice = typeof cellularDefaults &
  typeof connectionDefaults & {
    active_apn_settings: ApnSettings;
    readonly app_statuses: Record<string, { readonly permissions: Record<string, boolean> }>;
  };

export interface ApnSettings {
  apn_name: string;
  reset_at_reboot: boolean;
  mms_apn: string | null;
  mmsc_url: string | null;
  mms_proxy: string | null;
  mms_port: number | null;
}

export interface VpnDetails {
  readonly server_address: string;
  readonly protocol: string;
  server_performance: string;
}

export type Surroundings = typeof surroundingDefaults & {
  payment_request: { readonly bill_id: string; readonly amount_due: number; paid: boolean } | null;
};
