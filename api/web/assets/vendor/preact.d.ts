// The part of Preact that the page uses.
export interface VNode {
  readonly type: unknown;
}
export type Child = VNode | string | number | boolean | null | undefined | Child[];
export type Component<P> = (props: P) => Child;
export function h(type: unknown, props: object | null, ...children: Child[]): VNode;
export function render(what: Child, where: Element): void;
