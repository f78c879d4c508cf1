// What the page uses of preact.js, for the type check of scripts/web.
type Effect = () => void | boolean | (() => unknown);
export function h(type: unknown, props?: unknown, ...children: unknown[]): object;
export function html(strings: TemplateStringsArray, ...values: unknown[]): object;
export function render(node: unknown, parent: Element): void;
export function useEffect(effect: Effect, on?: unknown[]): void;
export function useLayoutEffect(effect: Effect, on?: unknown[]): void;
export function useRef<T>(initial: T): { current: T };
export function useState<T>(initial: T | (() => T)): [T, (next: T | ((now: T) => T)) => void];
