import type { TextValues } from './fill.ts';

/** How a message says when to try again, by its unit. */
const WAITS: Readonly<Record<string, string>> = {
  second: 'Try again in {count} seconds.',
  minute: 'Try again in {count} minutes.',
  hour: 'Try again in {count} hours.',
};
export const WAIT_TEXTS = Object.values(WAITS);

const WAIT = /^(.+) Try again in (\d+) (second|minute|hour)s?\.$/s;

/**
 * Finds the translation of a message of the API. Messages are in English for programs and logs, and contain their
 * values: a translation whose text has `{name}` fits every value there. Undefined if nobody has translated it.
 */
export function createMessageReader(
  translations: Readonly<Record<string, string>>,
  fill: (text: string, values?: TextValues) => string,
): (message: string) => string | undefined {
  let patterns: Array<[RegExp, string]> | undefined;
  const find = (message: string): string | undefined => {
    const whole = Object.hasOwn(translations, message) ? translations[message] : undefined;
    if (whole !== undefined) return whole;
    patterns ??= Object.entries(translations).flatMap(([text, other]) =>
      text.includes('{') ? [[toPattern(text), other]] : [],
    );
    for (const [pattern, other] of patterns) {
      const found = pattern.exec(message);
      if (found) return fill(other, Object.fromEntries(Object.entries(found.groups ?? {}).map(toValue)));
    }
    return undefined;
  };
  return (message) => {
    const [, first = '', count, unit = ''] = WAIT.exec(message) ?? [];
    const wait = translations[WAITS[unit] ?? ''];
    if (wait === undefined) return find(message);
    const said = find(first);
    return said && `${said} ${fill(wait, { count: Number(count) })}`;
  };
}

/** A pattern for messages with any values in place of `{name}`. A value is one or more characters. */
function toPattern(text: string): RegExp {
  const parts = text.split(/\{(\w+)\}/);
  const source = parts.map((part, index) =>
    index % 2 === 0 ? part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&') : `(?<${part}>.+?)`,
  );
  return new RegExp(`^${source.join('')}$`, 's');
}

/** Converts numbers in values, so that they are written as in the language. */
const toValue = ([name, text]: [string, string]): [string, string | number] => [
  name,
  /^\d{1,3}(,\d{3})*$|^\d+$/.test(text) ? Number(text.replaceAll(',', '')) : text,
];
