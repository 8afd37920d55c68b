import type { ComponentChildren, JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface Labelled {
  readonly label: string;
  /** Hides the label visually. Use it in toolbars, where the placeholder repeats the label. */
  readonly isLabelHidden?: boolean | undefined;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly isRequired?: boolean | undefined;
  readonly isDisabled?: boolean | undefined;
}

/** A control with label, hint and error, linked by ids. */
export function Field(
  props: Labelled & { readonly children: (control: ControlAttributes) => ComponentChildren },
): JSX.Element {
  const { label, isLabelHidden, hint, error, isRequired = false, isDisabled, children } = props;
  const id = useId();
  const isDescribed = hint !== undefined || error !== undefined;
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? "hidden" : "field-label"}>
        {label}
        {isRequired && <span class="field-required"> *</span>}
      </label>
      {children({
        id,
        disabled: isDisabled,
        required: isRequired,
        "aria-invalid": error === undefined ? undefined : "true",
        "aria-describedby": isDescribed ? `${id}-about` : undefined,
      })}
      {isDescribed && (
        <div id={`${id}-about`} class="field-about">
          {error !== undefined && <div class="field-error">{error}</div>}
          {hint !== undefined && <div class="field-hint">{hint}</div>}
        </div>
      )}
    </div>
  );
}

interface ControlAttributes {
  readonly id: string;
  readonly disabled: boolean | undefined;
  readonly required: boolean;
  readonly "aria-invalid": "true" | undefined;
  readonly "aria-describedby": string | undefined;
}

interface TextProps extends Labelled {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly placeholder?: string | undefined;
  readonly isMono?: boolean | undefined;
  readonly autocomplete?: string | undefined;
  readonly isFocused?: boolean | undefined;
}

export function Input(
  props: TextProps & {
    readonly type?: "text" | "password" | "number" | "date" | "datetime-local" | "email" | "url" | undefined;
    readonly step?: string | undefined;
    readonly maxLength?: number | undefined;
    /** Values to choose from. Others can be entered too. */
    readonly suggestions?: readonly string[] | undefined;
  },
): JSX.Element {
  const { value, onInput, type = "text", placeholder, isMono, autocomplete, isFocused, step, ...rest } = props;
  const { suggestions, maxLength, ...labelled } = rest;
  const [isRevealed, setRevealed] = useState(false);
  return (
    <Field {...labelled}>
      {(control) => (
        <span class={type === "password" ? "control-box" : undefined}>
          <input
            {...control}
            class={isMono ? "control mono" : "control"}
            // Preact's types accept no union here.
            // oxlint-disable-next-line typescript/no-unnecessary-type-assertion
            type={(isRevealed ? "text" : type) as "text"}
            step={step}
            maxLength={maxLength}
            value={value}
            placeholder={placeholder}
            list={suggestions && `${control.id}-list`}
            autocomplete={autocomplete ?? "off"}
            autofocus={isFocused}
            spellcheck={false}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
          {type === "password" && (
            <button type="button" class="control-reveal" onClick={() => setRevealed(!isRevealed)}>
              {isRevealed ? "Hide" : "Show"}
            </button>
          )}
          {suggestions && (
            <datalist id={`${control.id}-list`}>
              {suggestions.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          )}
        </span>
      )}
    </Field>
  );
}

export function Textarea(props: TextProps & { readonly rows?: number | undefined }): JSX.Element {
  const { value, onInput, placeholder, isMono, rows = 4, autocomplete: _, isFocused, ...labelled } = props;
  return (
    <Field {...labelled}>
      {(control) => (
        <textarea
          {...control}
          class={isMono ? "control mono" : "control"}
          rows={rows}
          value={value}
          placeholder={placeholder}
          autofocus={isFocused}
          spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface Choice {
  readonly value: string;
  readonly title: string;
}

export function Select(
  props: Labelled & {
    readonly value: string;
    readonly choices: readonly Choice[];
    readonly onChange: (value: string) => void;
  },
): JSX.Element {
  const { value, choices, onChange, ...labelled } = props;
  return (
    <Field {...labelled}>
      {(control) => (
        <select {...control} class="control" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.title}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Checkbox(
  props: Pick<Labelled, "label" | "hint" | "isDisabled" | "isLabelHidden"> & {
    readonly isChecked: boolean;
    readonly onChange: (isChecked: boolean) => void;
  },
): JSX.Element {
  const { label, hint, isDisabled, isLabelHidden, isChecked, onChange } = props;
  return (
    <label class="checkbox">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span class={isLabelHidden ? "hidden" : undefined}>
        {label}
        {hint !== undefined && <span class="field-hint block">{hint}</span>}
      </span>
    </label>
  );
}

/** A search field. `/` focuses the first one on the page. */
export function Search(props: {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}): JSX.Element {
  const { label, value, onInput } = props;
  return (
    <div class="search">
      <Icon name="search" />
      <input
        class="control"
        type="search"
        data-search
        aria-label={label}
        placeholder={label}
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}

/** Radio buttons in one row. */
export function Segmented<Value extends string>(props: {
  readonly label: string;
  /** Shows the label before the choices (default: only screen readers get it). */
  readonly isLabelShown?: boolean;
  readonly value: Value;
  /** A title for each value, or a list if not every value is there, or if some have tooltips. */
  readonly choices:
    | Readonly<Record<NoInfer<Value>, string>>
    | readonly { readonly value: NoInfer<Value>; readonly title: ComponentChildren; readonly label?: string }[];
  readonly onChange: (value: NoInfer<Value>) => void;
}): JSX.Element {
  const name = useId();
  const list = "map" in props.choices ? props.choices : entriesOf(props.choices);
  const choices = (
    <fieldset class="segmented">
      <legend class="hidden">{props.label}</legend>
      {list.map(({ value, title, label }) => (
        <label key={value} class={value === props.value ? "segment segment-on" : "segment"} title={label}>
          <input
            class="hidden"
            type="radio"
            name={name}
            value={value}
            aria-label={label}
            checked={value === props.value}
            onChange={() => props.onChange(value)}
          />
          {title}
        </label>
      ))}
    </fieldset>
  );
  if (props.isLabelShown !== true) return choices;
  return (
    <span class="segmented-named">
      <span class="muted small" aria-hidden="true">
        {props.label}
      </span>
      {choices}
    </span>
  );
}

function entriesOf<Value extends string>(titles: Readonly<Record<Value, string>>) {
  return (Object.keys(titles) as Value[]).map((value) => ({ value, title: titles[value], label: undefined }));
}
