import { createElement } from "preact";
import type { Component, FunctionComponent } from "preact";

/**
 * A component that is drawn again only when one of its props is another one. Unlike an element that is kept by
 * `useMemo`, it holds nothing of the tree in which it first stood.
 */
export function memo<Props extends object>(draw: FunctionComponent<Props>): FunctionComponent<Props> {
  return function Memo(this: Component<Props>, props: Props) {
    this.shouldComponentUpdate = (next) => !isSame(this.props, next);
    return createElement(draw, props);
  } as FunctionComponent<Props>;
}

function isSame(one: object, other: object): boolean {
  const [before, after] = [Object.entries(one), new Map(Object.entries(other))];
  return before.length === after.size && before.every(([key, value]) => Object.is(value, after.get(key)));
}
