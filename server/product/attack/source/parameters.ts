/** The parameters of a call as they are written in a page, and bodies that are made of them. */

/** Where a page sends the id of its visitor, whatever the parameter is called. */
export const OWN_ID = Symbol('the id of the visitor');

/** A literal, an object, or undefined for what is computed. */
export type Given = string | number | boolean | undefined | typeof OWN_ID | Parameters;
export interface Parameters extends Map<string, Given> {}

/** A parameter without parameters of its own. */
export interface Leaf {
  name: string;
  path: string[];
  value: Exclude<Given, Parameters>;
}

export function listLeaves(parameters: Parameters, above: string[] = []): Leaf[] {
  return [...parameters].flatMap(([name, value]): Leaf[] => {
    const path = [...above, name];
    return value instanceof Map ? listLeaves(value, path) : [{ name, path, value }];
  });
}

/** A body with what is written in the call, and what `write` says for the rest. */
export function fill(
  parameters: Parameters,
  write: (name: string, isOwnId: boolean) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    [...parameters].map(([name, value]) => {
      if (value instanceof Map) return [name, fill(value, write)];
      return [name, value === undefined || value === OWN_ID ? write(name, value === OWN_ID) : value];
    }),
  );
}

/** Leaves some parameters out. */
export function dropLeaves(parameters: Parameters, isDropped: (leaf: Leaf) => boolean): Parameters {
  const kept: Parameters = new Map();
  for (const [name, value] of parameters)
    if (value instanceof Map) kept.set(name, dropLeaves(value, isDropped));
    else if (!isDropped({ name, path: [name], value })) kept.set(name, value);
  return kept;
}

/** The values in data, however deep, each with the names that lead to it. */
export function listValues(data: unknown, path: string[] = []): Array<{ path: string[]; value: unknown }> {
  if (typeof data !== 'object' || data === null) return path.length > 0 ? [{ path, value: data }] : [];
  return Object.entries(data).flatMap(([name, value]) => listValues(value, [...path, name]));
}

export const listTexts = (data: unknown): Array<{ path: string[]; text: string }> =>
  listValues(data).flatMap(({ path, value }) => (typeof value === 'string' ? [{ path, text: value }] : []));

/** Copies data, with another value at one place. */
export function replaceAt<Data>(data: Data, path: readonly string[], value: unknown): Data {
  const copy = structuredClone(data) as Record<string, unknown>;
  let at = copy;
  for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>;
  const last = path.at(-1);
  if (last !== undefined) at[last] = value;
  return copy as Data;
}

/** Tells parameters apart: equal ones have the same key. */
export const toKey = (parameters: Parameters): string =>
  JSON.stringify(listLeaves(parameters).map(({ path, value }) => [path, String(value), typeof value]));
