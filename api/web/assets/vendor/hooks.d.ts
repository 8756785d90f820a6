// The hooks of Preact that the page uses.
type Set<T> = (next: T | ((now: T) => T)) => void;
export interface Ref<T> {
  current: T;
}
export function useState<T>(begin: T | (() => T)): [T, Set<T>];
export function useRef<T>(begin: T): Ref<T>;
// Without a value to begin with, it is the ref of an element, which is there when effects run.
export function useRef<T>(): Ref<T>;
export function useEffect(run: () => void | (() => void), deps?: readonly unknown[]): void;
export function useLayoutEffect(run: () => void | (() => void), deps?: readonly unknown[]): void;
export function useMemo<T>(make: () => T, deps: readonly unknown[]): T;
export function useCallback<F>(f: F, deps: readonly unknown[]): F;
export function useErrorBoundary(report?: (error: unknown) => void): [unknown, () => void];
export function useId(): string;
