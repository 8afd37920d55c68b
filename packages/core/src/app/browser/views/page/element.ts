/** Text, attributes and listeners of a new element. Text is never parsed as HTML. */
export interface ElementOptions {
  readonly class?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly on?: { readonly [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void };
}

/** Creates an HTML element with children. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  options: ElementOptions = {},
  children: readonly Node[] = [],
): HTMLElementTagNameMap[Tag] {
  return fill(document.createElement(tag), options, children);
}

/** Creates an SVG element with children. */
export function svgElement<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  options: ElementOptions = {},
  children: readonly Node[] = [],
): SVGElementTagNameMap[Tag] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), options, children);
}

/** Sets attributes. `true` sets an empty one; `false` and undefined remove it. */
export function setAttributes(target: Element, attributes: NonNullable<ElementOptions["attributes"]>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) target.removeAttribute(name);
    else target.setAttribute(name, value === true ? "" : String(value));
  }
}

function fill<Made extends HTMLElement | SVGElement>(
  made: Made,
  options: ElementOptions,
  children: readonly Node[],
): Made {
  if (options.class !== undefined) made.setAttribute("class", options.class);
  if (options.text !== undefined) made.textContent = options.text;
  setAttributes(made, options.attributes ?? {});
  for (const [name, listener] of Object.entries(options.on ?? {}))
    made.addEventListener(name, listener as EventListener);
  made.append(...children);
  return made;
}
