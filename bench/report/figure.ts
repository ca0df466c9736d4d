/** What a benchmark measures, and which values are good enough. */

export const ARCHITECTURES = ['x86-64', 'aarch64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** A number, several that belong together (such as p50 and p99), or a range that somebody reported. */
export type Value = number | number[] | { from: number; to: number };

/** One table: rows are Quire and its peers, columns are architectures. */
export interface Figure {
  /** The heading of the table, with the unit. */
  name: string;
  /** Digits after the decimal point. */
  digits: number;
  /** The rows in their order, with the goal of each. */
  rows: Record<string, Goal | undefined>;
}

export interface Goal {
  text: string;
  /** Whether the value reaches the goal; undefined where there is no goal for this architecture. */
  isMet(value: number[], architecture: Architecture): boolean | undefined;
}

/** What one run of a benchmark measured: figure, row, value. */
export type Values = Record<string, Record<string, Value>>;

/** What a benchmark returns. */
export interface Report {
  /** What else a reader must know about this run: versions, sizes, peers that are not available. */
  note: string;
  values: Values;
}

/** One limit, or one for each architecture. */
type Limit = number | Partial<Record<Architecture, number>>;

/** `part` is the number that counts, if the value has several. */
export const atLeast = (limit: Limit, part = 0): Goal => ({
  text: `at least ${formatLimit(limit)}`,
  isMet: (value, architecture) => compare(value[part], limit, architecture, (a, b) => a >= b),
});

export const atMost = (limit: Limit, part = 0): Goal => ({
  text: `at most ${formatLimit(limit)}`,
  isMet: (value, architecture) => compare(value[part], limit, architecture, (a, b) => a <= b),
});

/** For a value with two parts, before and after: the second is at most so many times the first. */
export const atMostTimes = (times: number): Goal => ({
  text: `at most ${times} times`,
  isMet: ([before = Number.NaN, after = Number.NaN]) => after <= before * times,
});

/** The same rows without goals, or all with the same goal. */
export function toRows(names: readonly string[], goal?: Goal): Figure['rows'] {
  return Object.fromEntries(names.map((name) => [name, goal]));
}

/** The values of a table, one row for each. */
export function toValues<T extends { name: string }>(
  each: T[],
  value: (one: T) => Value,
): Record<string, Value> {
  return Object.fromEntries(each.map((one) => [one.name, value(one)]));
}

/** Whether a value reaches its goal. Both ends of a range must. */
export function isMet(goal: Goal, value: Value, architecture: Architecture): boolean | undefined {
  if (typeof value === 'number' || Array.isArray(value)) return goal.isMet(listNumbers(value), architecture);
  const ends = listNumbers(value).map((end) => goal.isMet([end], architecture));
  return ends.includes(undefined) ? undefined : ends.every(Boolean);
}

export function listNumbers(value: Value): number[] {
  if (typeof value === 'number') return [value];
  return Array.isArray(value) ? value : [value.from, value.to];
}

/** Throws if a benchmark returns a figure or row that it does not declare, or a value that is not a number. */
export function checkValues(figures: Figure[], values: Values): void {
  for (const [name, rows] of Object.entries(values)) {
    const figure = figures.find((one) => one.name === name);
    if (!figure) throw new Error(`The figure "${name}" is not declared.`);
    for (const [row, value] of Object.entries(rows)) {
      if (!(row in figure.rows)) throw new Error(`The figure "${name}" does not declare the row "${row}".`);
      if (!listNumbers(value).every(Number.isFinite)) throw new Error(`${name}, ${row}: not a number`);
    }
  }
}

/** Rounds to what the tables show, so that files and tables agree. */
export function roundValues(figures: Figure[], values: Values): Values {
  const round = (value: Value, digits: number): Value => {
    const one = (number: number) => Number(number.toFixed(digits));
    if (typeof value === 'number') return one(value);
    return Array.isArray(value) ? value.map(one) : { from: one(value.from), to: one(value.to) };
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, rows]) => {
      const digits = figures.find((figure) => figure.name === name)?.digits ?? 0;
      return [
        name,
        Object.fromEntries(Object.entries(rows).map(([row, value]) => [row, round(value, digits)])),
      ];
    }),
  );
}

function compare(
  value = Number.NaN,
  limit: Limit,
  architecture: Architecture,
  isWithin: (a: number, b: number) => boolean,
): boolean | undefined {
  const wanted = typeof limit === 'number' ? limit : limit[architecture];
  return wanted === undefined ? undefined : isWithin(value, wanted);
}

function formatLimit(limit: Limit): string {
  if (typeof limit === 'number') return limit.toLocaleString('en');
  return Object.entries(limit)
    .map(([architecture, value]) => `${value.toLocaleString('en')} on ${architecture}`)
    .join(', ');
}
