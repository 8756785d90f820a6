// The templates and hooks of all views. Data becomes text nodes and attributes, never markup.
import { h, render } from '../vendor/preact.js';
import htm from '../vendor/htm.js';

export { render };
export {
  useState,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useCallback,
  useErrorBoundary,
  useId,
} from '../vendor/hooks.js';
export const html = htm.bind(h);

// memo returns a component that is rendered again only if a property is another value.
/** @template {object} P @param {Component<P>} Component */
export function memo(Component) {
  return /** @this {any} @param {P} props */ function Memo(props) {
    this.shouldComponentUpdate = (/** @type {Record<string, unknown>} */ next) =>
      Object.keys({ ...props, ...next }).some((name) => this.props[name] !== next[name]);
    return h(Component, props);
  };
}
