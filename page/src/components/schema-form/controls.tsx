import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { isRecord } from "../../../../packages/core/src/is-record.ts";
import type { JsonObject } from "../../../../packages/core/src/tool/schema.ts";
import { Button } from "../button.tsx";
import { Checkbox, Input, Select, Textarea } from "../field.tsx";
import { Text } from "../text.tsx";
import { faultsIn } from "./check.ts";
import type { Faults } from "./check.ts";
import { branchesOf, initial, isRequiredIn, kindOf, resolved, schemaOf, titleOf } from "./schema.ts";
import type { Schema } from "./schema.ts";

export interface ControlProps {
  readonly schema: Schema;
  readonly root: JsonObject;
  readonly name: string;
  readonly path: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly isRequired: boolean;
  readonly faults: Faults;
  readonly depth: number;
}

/** The control for one value. An empty optional value is omitted. */
export function Control(props: ControlProps): JSX.Element {
  const schema = resolved(props.schema, props.root);
  const own = { ...props, schema };
  if (props.depth > 8) return <AnyControl {...own} />;
  switch (kindOf(schema)) {
    case "string":
      return <TextControl {...own} />;
    case "number":
      return <NumberControl {...own} />;
    case "boolean":
      return <BooleanControl {...own} />;
    case "enum":
      return <EnumControl {...own} />;
    case "const":
      return <ConstControl {...own} />;
    case "null":
      return <span class="muted">null</span>;
    case "array":
      return <ListControl {...own} />;
    case "object":
      return <ObjectControl {...own} />;
    case "choice":
      return <ChoiceControl {...own} />;
    default:
      return <AnyControl {...own} />;
  }
}

function labelled({ name, schema, isRequired, faults, path }: ControlProps) {
  const { description } = schema;
  return {
    label: schema.title ?? name,
    isRequired,
    error: faults[path],
    hint: typeof description === "string" ? <Text value={description} /> : undefined,
  };
}

function TextControl(props: ControlProps): JSX.Element {
  const { schema, value, onChange, isRequired } = props;
  const isLong = (schema.maxLength ?? 0) > 200 || schema.format === "textarea" || longNames.test(props.name);
  const text = typeof value === "string" ? value : "";
  const example = schema.examples?.[0];
  const common = {
    ...labelled(props),
    value: text,
    placeholder: typeof example === "string" ? example : undefined,
    onInput: (next: string) => onChange(next === "" && !isRequired ? undefined : next),
  };
  return isLong || text.includes("\n") ? <Textarea {...common} isMono rows={5} /> : <Input {...common} />;
}

const longNames = /^(content|text|body|code|source|message|html|script|prompt)$/i;

function NumberControl(props: ControlProps): JSX.Element {
  const { schema, value, onChange } = props;
  const [typed, setTyped] = useState(typeof value === "number" ? String(value) : "");
  const shown =
    Number(typed) === value || (typed === "" && value === undefined)
      ? typed
      : typeof value === "number"
        ? String(value)
        : "";
  return (
    <Input
      {...labelled(props)}
      type="number"
      step={schema.type === "integer" ? "1" : "any"}
      value={shown}
      onInput={(next) => {
        setTyped(next);
        onChange(next === "" ? undefined : Number(next));
      }}
    />
  );
}

function BooleanControl(props: ControlProps): JSX.Element {
  const { label, hint } = labelled(props);
  return (
    <Checkbox label={label} hint={hint} isChecked={props.value === true} onChange={(isOn) => props.onChange(isOn)} />
  );
}

function EnumControl(props: ControlProps): JSX.Element {
  const { schema, value, onChange, isRequired } = props;
  const values = schema.enum ?? [];
  const at = values.findIndex((each) => JSON.stringify(each) === JSON.stringify(value));
  const choices = values.map((each, index) => ({ value: String(index), title: shortText(each) }));
  return (
    <Select
      {...labelled(props)}
      value={at < 0 ? "" : String(at)}
      choices={isRequired && at >= 0 ? choices : [{ value: "", title: "–" }, ...choices]}
      onChange={(index) => onChange(index === "" ? undefined : values[Number(index)])}
    />
  );
}

function ConstControl(props: ControlProps): JSX.Element {
  return (
    <div class="field">
      <span class="field-label">{props.schema.title ?? props.name}</span>
      <code class="mono">{shortText(props.schema.const)}</code>
    </div>
  );
}

function ObjectControl(props: ControlProps): JSX.Element {
  const { schema, root, value, onChange, path, faults, depth, isRequired } = props;
  const object = isRecord(value) ? value : {};
  const change = (name: string, next: unknown) => {
    const { [name]: _, ...rest } = object;
    const changed = next === undefined ? rest : { ...object, [name]: next };
    onChange(Object.keys(changed).length === 0 && !isRequired && depth > 0 ? undefined : changed);
  };
  const properties = Object.entries(schema.properties ?? {});
  const fields = properties.map(([name, property]) => (
    <Control
      key={name}
      schema={schemaOf(property)}
      root={root}
      name={name}
      path={path === "" ? name : `${path}.${name}`}
      value={object[name]}
      onChange={(next) => change(name, next)}
      isRequired={isRequiredIn(schema, name)}
      faults={faults}
      depth={depth + 1}
    />
  ));
  // Free-form keys give no fields, so edit the object as JSON.
  if (properties.length === 0 && depth > 0) return <AnyControl {...props} />;
  return depth === 0 ? <div class="form">{fields}</div> : <Group {...props}>{fields}</Group>;
}

function ListControl(props: ControlProps): JSX.Element {
  const { schema, root, value, onChange, path, faults, depth, isRequired } = props;
  const items = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const set = (next: readonly unknown[]) => onChange(next.length === 0 && !isRequired ? undefined : next);
  return (
    <Group {...props}>
      {items.map((item, at) => (
        <div key={at} class="form-item">
          <div class="grow">
            <Control
              schema={schemaOf(schema.items)}
              root={root}
              name={`${props.name} ${at + 1}`}
              path={path === "" ? String(at) : `${path}.${at}`}
              value={item}
              onChange={(next) => set(items.with(at, next ?? null))}
              isRequired
              faults={faults}
              depth={depth + 1}
            />
          </div>
          <Button
            kind="quiet"
            size="small"
            icon="trash"
            label={`Remove ${props.name} ${at + 1}`}
            onClick={() => set(items.toSpliced(at, 1))}
          />
        </div>
      ))}
      <div>
        <Button size="small" icon="plus" onClick={() => set([...items, initial(schemaOf(schema.items), root) ?? null])}>
          Add {props.schema.title ?? props.name}
        </Button>
      </div>
    </Group>
  );
}

function ChoiceControl(props: ControlProps): JSX.Element {
  const { schema, root, value, onChange, isRequired } = props;
  const branches = branchesOf(schema) ?? [];
  const fitting = branches.findIndex((branch) => Object.keys(faultsIn(value, branch, root)).length === 0);
  const [chosen, setChosen] = useState(fitting >= 0 ? fitting : isRequired ? 0 : -1);
  const branch = branches[chosen];
  const choices = branches.map((each, at) => ({ value: String(at), title: titleOf(resolved(each, root), at) }));
  return (
    <Group {...props}>
      <Select
        label={`Type of ${props.schema.title ?? props.name}`}
        isLabelHidden
        value={String(chosen)}
        choices={isRequired ? choices : [{ value: "-1", title: "not set" }, ...choices]}
        onChange={(next) => {
          setChosen(Number(next));
          const taken = branches[Number(next)];
          onChange(taken && initial(taken, root));
        }}
      />
      {branch && kindOf(resolved(branch, root)) !== "null" && (
        <Control {...props} key={chosen} schema={branch} isRequired depth={props.depth + 1} />
      )}
    </Group>
  );
}

/** Any value, as JSON. */
function AnyControl(props: ControlProps): JSX.Element {
  const { value, onChange } = props;
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value, undefined, 2));
  const [fault, setFault] = useState<string>();
  const { error, ...rest } = labelled(props);
  return (
    <Textarea
      {...rest}
      error={fault ?? error}
      isMono
      rows={3}
      value={text}
      placeholder="JSON"
      onInput={(next) => {
        setText(next);
        const parsed = parseJson(next);
        setFault(parsed.fault);
        if (parsed.fault === undefined) onChange(parsed.value);
      }}
    />
  );
}

export function parseJson(text: string): { readonly value?: unknown; readonly fault?: string } {
  if (text.trim() === "") return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: `Not valid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function Group(props: ControlProps & { readonly children: ComponentChildren }): JSX.Element {
  const { label, hint, isRequired, error } = labelled(props);
  return (
    <fieldset class="form-group">
      <legend>
        {label}
        {isRequired && <span class="field-required"> *</span>}
      </legend>
      {hint !== undefined && <div class="field-hint">{hint}</div>}
      {error !== undefined && <div class="field-error">{error}</div>}
      {props.children}
    </fieldset>
  );
}

function shortText(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
