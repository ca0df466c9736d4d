import { randomBytes } from 'node:crypto';
import type { FieldSchema } from '../../../../contract/data/collection-schema.ts';
import { compilePattern } from '../../../../contract/rules/pattern.ts';
import { inventMatch } from './patterns.ts';

/** Words in the names of fields that hold what only the person concerned should see. */
const PERSONAL = new Set(
  'email mail phone tel telephone mobile address street iban card cvc password passwd passwort pin ssn birthday birthdate dob salary diagnosis symptoms health passport telefon adresse strasse geburtstag gehalt'.split(
    ' ',
  ),
);
const NUMBERS =
  /^(amount|price|qty|quantity|count|votes?|score|rating|stars|total|age|year|number|points|likes|stock|balance|seats|limit|page|offset|persons|guests)$/i;

const DATES = /^(date|day|time|datetime|birthday|birthdate|dob|datum|deadline)$/;

export const words = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);

/** Whether the name of a field says that it holds personal data. */
export const isPersonal = (name: string) => words(name).some((word) => PERSONAL.has(word));
/** Whether a field counts something that nobody should set at will. */
export const isCounter = (name: string) =>
  words(name).some((word) => /^(votes?|count|score|likes|points|balance|credits|stock|price)$/.test(word));
/** Whether a parameter names something that exists. */
export const isId = (name: string) => /(^|[a-z_])(id|Id|ID|key|slug|uuid)$/.test(name) || name === 'id';
/** Whether a parameter names a person. */
export const isPersonId = (name: string) =>
  /^(user|owner|author|member|customer|student|patient|account|player)(_?id|Id|ID)?$|^uid$|^me$/.test(name);

/** A shorter text appears by chance too. */
export const FEWEST_LETTERS = 5;

/** Invented values with a mark of their own, so that they are found again wherever they appear. */
export class Invention {
  readonly mark = `qa${randomBytes(4).toString('hex')}`;
  /** Values that are too short for the mark, or have a pattern that it does not match. */
  readonly #others: string[] = [];

  /** Whether a text has something that was invented here. */
  isIn(text: string): boolean {
    return [this.mark, ...this.#others].some((each) => text.includes(each));
  }

  /** A value for a parameter or field without a schema. */
  value(name: string): string | number | boolean {
    if (NUMBERS.test(name)) return 3;
    if (/^(is|has)[A-Z_]|^(done|active|published|public|confirmed)$/.test(name)) return true;
    if (words(name).some((word) => word === 'email' || word === 'mail')) return `${this.mark}@example.com`;
    if (words(name).some((word) => DATES.test(word))) return '2030-01-31';
    return `${this.mark} ${name}`;
  }

  /** A value for a field with a schema. */
  fit(name: string, schema: FieldSchema): unknown {
    switch (schema.type) {
      case 'string':
        return this.#fitText(name, schema);
      case 'number':
        return Math.min(Math.max(3, schema.min ?? 3), schema.max ?? 3);
      case 'boolean':
        return true;
      case 'enum':
        return schema.values[0];
      case 'array':
        return schema.items ? [this.fit(name, schema.items)] : [];
      case 'object':
        return Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([key, each]) => [key, this.fit(key, each)]),
        );
      case 'date':
        return '2030-01-31T12:00:00Z';
    }
  }

  #fitText(name: string, schema: FieldSchema & { type: 'string' }): string {
    const { maxLength = 200, minLength = 0, pattern } = schema;
    const plain = String(this.value(name)).padEnd(minLength, 'x').slice(0, maxLength);
    const compiled = pattern === undefined ? undefined : compilePattern(pattern);
    const fits = (text: string) => !compiled || compiled.matcher(text).find();
    const candidates = [plain, this.mark, `${this.mark}@example.com`, `https://example.com/${this.mark}`];
    const found =
      candidates.find((text) => text.length >= minLength && text.length <= maxLength && fits(text)) ??
      inventMatch(pattern ?? '', { minLength, maxLength }) ??
      plain;
    if (!found.includes(this.mark) && found.length >= FEWEST_LETTERS) this.#others.push(found);
    return found;
  }
}
