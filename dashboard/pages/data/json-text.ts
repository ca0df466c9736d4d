import type { Fault as Detail } from '../../../contract/errors.ts';
import { findJsonFault } from '../../../contract/rules/json/json-fault.ts';
import type { Fault } from '../../editor/index.tsx';
import { translated } from '../../texts/index.ts';

/** Finds the positions of errors in JSON text. */

type Parsed = { value: unknown; fault?: undefined } | { value?: undefined; fault: Fault };

/** Parses JSON, or returns the position of the error. */
export function parseJson(text: string): Parsed {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    // Browsers word this error differently, and not all of them say where it is.
    const found = findJsonFault(text);
    const message = found ? translated(found.text) : (error as Error).message;
    const offset = found?.offset ?? 0;
    const before = text.slice(0, offset).split('\n');
    return { fault: { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, message } };
  }
}

/** The line of a field in indented JSON, as far as its path can be followed. */
function findLine(text: string, path: string[]): number {
  let at = 0;
  for (const name of path) {
    const next = indexOfName(text, name, at);
    if (next === undefined) break;
    at = next;
  }
  return text.slice(0, at).split('\n').length;
}

function indexOfName(text: string, name: string, from: number): number | undefined {
  const quoted = JSON.stringify(name);
  for (let at = text.indexOf(quoted, from); at >= 0; at = text.indexOf(quoted, at + 1)) {
    if (/^\s*:/.test(text.slice(at + quoted.length, at + quoted.length + 20))) return at + quoted.length;
  }
  return undefined;
}

/** The validation errors of the service (`data.title`) with their lines. */
export function faultsAt(text: string, details: Detail[], prefix: string): Fault[] {
  return details.map(({ path, message }) => {
    const inside = path.startsWith(`${prefix}.`) ? path.slice(prefix.length + 1) : '';
    return {
      line: inside ? findLine(text, inside.split('.')) : 1,
      message: inside ? `${inside}: ${message}` : message,
    };
  });
}
