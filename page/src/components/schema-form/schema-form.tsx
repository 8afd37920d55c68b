import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { JsonObject } from "../../../../packages/core/src/tool/schema.ts";
import { Segmented, Textarea } from "../field.tsx";
import { faultsIn } from "./check.ts";
import type { Faults } from "./check.ts";
import { Control, parseJson } from "./controls.tsx";
import { initial, kindOf, resolved, schemaOf } from "./schema.ts";

/** The initial value of a form. */
export function initialValue(schema: JsonObject): unknown {
  return initial(schemaOf(schema), schema);
}

/** Error messages by path; empty if the value is valid. */
export function schemaFaults(value: unknown, schema: JsonObject): Faults {
  return faultsIn(value, schemaOf(schema), schema);
}

/**
 * A form for a JSON Schema, or the same value as JSON. The parent holds the value. Set `areFaultsShown` after the first
 * submit, so that untouched fields show no errors.
 */
export function SchemaForm(props: {
  readonly schema: JsonObject;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly areFaultsShown?: boolean;
}): JSX.Element {
  const { schema, value, onChange, areFaultsShown = false } = props;
  const [mode, setMode] = useState<"form" | "json">("form");
  const [text, setText] = useState("");
  const [fault, setFault] = useState<string>();
  const faults = useMemo(() => (areFaultsShown ? schemaFaults(value, schema) : {}), [areFaultsShown, value, schema]);
  const root = resolved(schemaOf(schema), schema);
  const hasFields = kindOf(root) !== "object" || Object.keys(root.properties ?? {}).length > 0;
  return (
    <div class="schema-form">
      <div class="schema-form-mode">
        <Segmented
          label="Input mode"
          value={mode}
          choices={{ form: "Form", json: "JSON" }}
          onChange={(next) => {
            setMode(next);
            setFault(undefined);
            if (next === "json") setText(JSON.stringify(value, undefined, 2) ?? "");
          }}
        />
      </div>
      {mode === "json" ? (
        <Textarea
          label="Input as JSON"
          isLabelHidden
          isMono
          rows={Math.min(24, Math.max(6, text.split("\n").length + 1))}
          value={text}
          error={fault ?? faults[""]}
          onInput={(next) => {
            setText(next);
            const parsed = parseJson(next);
            setFault(parsed.fault);
            if (parsed.fault === undefined) onChange(parsed.value);
          }}
        />
      ) : hasFields ? (
        <Control
          schema={schemaOf(schema)}
          root={schema}
          name="input"
          path=""
          value={value}
          onChange={onChange}
          isRequired
          faults={faults}
          depth={0}
        />
      ) : (
        <p class="muted">No input required.</p>
      )}
    </div>
  );
}
