// Templates are not checked, so functions in them get any arguments.
import { VNode } from './preact.js';
type Value = ((...args: any[]) => unknown) | string | number | boolean | null | undefined | object;
declare const htm: { bind(h: unknown): (strings: TemplateStringsArray, ...values: Value[]) => VNode };
export default htm;
