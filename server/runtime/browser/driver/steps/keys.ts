import type { Params } from '../pipe.ts';

/** The keys that a step can press by name, with the code that Windows has for them. */
const NAMED: Record<string, { code?: string; key?: string; number: number; text?: string }> = {
  Enter: { number: 13, text: '\r' },
  Escape: { number: 27 },
  Tab: { number: 9 },
  Backspace: { number: 8 },
  Delete: { number: 46 },
  Space: { key: ' ', number: 32, text: ' ' },
  ArrowLeft: { number: 37 },
  ArrowUp: { number: 38 },
  ArrowRight: { number: 39 },
  ArrowDown: { number: 40 },
  PageUp: { number: 33 },
  PageDown: { number: 34 },
  End: { number: 35 },
  Home: { number: 36 },
};
export const KEY_NAMES = Object.keys(NAMED);

/** The parameters of a key, by its name or as one character. Undefined if there is no such key. */
export function findKey(name: string): Params | undefined {
  const named = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  if (named)
    return {
      key: named.key ?? name,
      code: name,
      windowsVirtualKeyCode: named.number,
      ...(named.text !== undefined && { text: named.text }),
    };
  if ([...name].length !== 1) return undefined;
  const upper = name.toUpperCase();
  const code = /^[A-Z]$/.test(upper) ? `Key${upper}` : /^\d$/.test(name) ? `Digit${name}` : '';
  return { key: name, code, text: name, ...(code && { windowsVirtualKeyCode: upper.charCodeAt(0) }) };
}
