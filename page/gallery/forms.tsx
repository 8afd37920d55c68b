import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../src/components/button.tsx";
import { Json } from "../src/components/json.tsx";
import { Card } from "../src/components/page.tsx";
import { SchemaForm, initialValue, schemaFaults } from "../src/components/schema-form/schema-form.tsx";

const schema = {
  type: "object",
  required: ["name", "amount", "shape"],
  $defs: { color: { enum: ["red", "green", "blue"] } },
  properties: {
    name: { type: "string", minLength: 2, description: "Recipient, such as ada" },
    amount: { type: "number", exclusiveMinimum: 0, maximum: 100 },
    count: { type: "integer", default: 3 },
    isUrgent: { type: "boolean", description: "Process this first" },
    color: { $ref: "#/$defs/color" },
    tags: { type: "array", items: { type: "string" } },
    address: {
      type: "object",
      description: "Shipping address",
      properties: { street: { type: "string" }, number: { type: "integer" } },
      required: ["street"],
    },
    shape: {
      oneOf: [
        { title: "Circle", type: "object", properties: { radius: { type: "number" } }, required: ["radius"] },
        { title: "Text", type: "string" },
        { type: "null" },
      ],
    },
    anything: {},
  },
};

export function Forms(): JSX.Element {
  const [value, setValue] = useState<unknown>(() => initialValue(schema));
  const [isTried, setTried] = useState(false);
  const [sent, setSent] = useState<unknown>();
  return (
    <div class="split">
      <Card title="Form from a JSON Schema">
        <form
          class="stack"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            setTried(true);
            if (Object.keys(schemaFaults(value, schema)).length === 0) setSent(value);
          }}
        >
          <SchemaForm schema={schema} value={value} onChange={setValue} areFaultsShown={isTried} />
          <Button kind="main" type="submit">
            Send
          </Button>
        </form>
      </Card>
      <Card title="Value">
        <Json value={value} />
        <output id="sent">{sent === undefined ? "" : JSON.stringify(sent)}</output>
      </Card>
    </div>
  );
}
