import { createElement } from "preact";
import type { Component, FunctionComponent } from "preact";

/**
 * A component that re-renders only when a prop changes. Unlike an element kept by `useMemo`, it holds no reference to
 * the tree in which it was first rendered.
 */
export function memo<Props extends object>(render: FunctionComponent<Props>): FunctionComponent<Props> {
  return function Memo(this: Component<Props>, props: Props) {
    this.shouldComponentUpdate = (next) => !isSame(this.props, next);
    return createElement(render, props);
  } as FunctionComponent<Props>;
}

function isSame(one: object, other: object): boolean {
  const [before, after] = [Object.entries(one), new Map(Object.entries(other))];
  return before.length === after.size && before.every(([key, value]) => Object.is(value, after.get(key)));
}
