import { type Fault, MAX_FAULTS, toFault } from '../errors.ts';
import { createMatcher, type Matcher } from '../rules/pattern.ts';
import { characterCount } from '../rules/text.ts';
import { phrase, type Text } from '../rules/texts/fill.ts';

/** Checks what a tool is called with against its JSON Schema. The schema has only the words of `input-schema.ts`. */

/** How much is checked: a value against a part of the schema is a step, and so are 250 characters of a text. */
export const MAX_INPUT_STEPS = 10_000;
const CHARACTERS_PER_STEP = 250;
const MAX_SHOWN_VALUES = 20;
const MAX_PATH_LETTERS = 200;

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Thrown when the input takes more steps than allowed. */
class TooMuch extends Error {}

/** The faults of an input, each with its path, such as `items.0.name`. */
export function findInputFaults(schema: Fields, input: unknown): Fault[] {
  const check = new InputCheck();
  try {
    check.value(schema, input, '');
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return [toFault('', phrase('is too large to be checked'))];
  }
  return check.faults;
}

class InputCheck {
  faults: Fault[] = [];
  #steps = 0;
  readonly #match: Matcher = createMatcher();

  value(schema: Fields, value: unknown, path: string): void {
    const types = schema.type === undefined ? [] : [schema.type].flat();
    this.#take(Math.max(types.length, 1));
    if (types.length > 0 && !types.some((each) => hasType(value, String(each)))) {
      this.#note(path, phrase('must be {type}', { type: types.join(' or ') }));
      return;
    }
    this.#constants(schema, value, path);
    this.#alternatives(schema, value, path);
    if (typeof value === 'string') this.#text(schema, value, path);
    if (typeof value === 'number') this.#number(schema, value, path);
    if (Array.isArray(value)) this.#list(schema, value, path);
    if (isObject(value)) this.#object(schema, value, path);
  }

  #take(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_INPUT_STEPS) throw new TooMuch();
  }

  #note(path: string, text: Text): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push(toFault(path.slice(0, MAX_PATH_LETTERS), text));
  }

  /** Whether a value has no faults. */
  #fits(schema: Fields, value: unknown): boolean {
    const outer = this.faults;
    this.faults = [];
    this.value(schema, value, '');
    const isFit = this.faults.length === 0;
    this.faults = outer;
    return isFit;
  }

  #constants(schema: Fields, value: unknown, path: string): void {
    const allowed = 'const' in schema ? [schema.const] : schema.enum;
    if (!Array.isArray(allowed)) return;
    const text = this.#write(value);
    if (allowed.some((each) => this.#write(each) === text)) return;
    const values = allowed.slice(0, MAX_SHOWN_VALUES).map((each) => JSON.stringify(each).slice(0, 100));
    this.#note(path, phrase('must be one of {values}', { values: values.join(', ') }));
  }

  #alternatives({ anyOf, oneOf }: Fields, value: unknown, path: string): void {
    const count = (schemas: unknown) =>
      (schemas as Fields[]).filter((each) => this.#fits(each, value)).length;
    if (anyOf !== undefined && count(anyOf) === 0)
      this.#note(path, phrase('matches none of the forms that anyOf allows'));
    if (oneOf !== undefined && count(oneOf) !== 1)
      this.#note(path, phrase('must match exactly one of the forms in oneOf'));
  }

  #text({ minLength, maxLength, pattern }: Fields, value: string, path: string): void {
    if (minLength !== undefined || maxLength !== undefined) {
      this.#take(value.length / CHARACTERS_PER_STEP);
      const count = characterCount(value);
      if (count < Number(minLength ?? 0))
        this.#note(path, phrase('must have at least {min} characters', { min: String(minLength) }));
      if (count > Number(maxLength ?? count))
        this.#note(path, phrase('must have at most {max} characters', { max: String(maxLength) }));
    }
    if (typeof pattern !== 'string') return;
    const outcome = this.#match(pattern, value);
    if (outcome === 'too long')
      this.#note(path, phrase('is too long to be matched with {pattern}', { pattern }));
    if (outcome === 'differs') this.#note(path, phrase('must match {pattern}', { pattern }));
  }

  #number(schema: Fields, value: number, path: string): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
    if (value < Number(minimum ?? value))
      this.#note(path, phrase('must be at least {min}', { min: String(minimum) }));
    if (value > Number(maximum ?? value))
      this.#note(path, phrase('must be at most {max}', { max: String(maximum) }));
    if (exclusiveMinimum !== undefined && value <= Number(exclusiveMinimum))
      this.#note(path, phrase('must be more than {min}', { min: String(exclusiveMinimum) }));
    if (exclusiveMaximum !== undefined && value >= Number(exclusiveMaximum))
      this.#note(path, phrase('must be less than {max}', { max: String(exclusiveMaximum) }));
    if (multipleOf !== undefined && !Number.isInteger(value / Number(multipleOf)))
      this.#note(path, phrase('must be a multiple of {step}', { step: String(multipleOf) }));
  }

  #list(schema: Fields, value: unknown[], path: string): void {
    const { minItems, maxItems, uniqueItems, items } = schema;
    if (value.length < Number(minItems ?? 0))
      this.#note(path, phrase('must have at least {min} items', { min: String(minItems) }));
    if (value.length > Number(maxItems ?? value.length))
      this.#note(path, phrase('must have at most {max} items', { max: String(maxItems) }));
    if (uniqueItems === true && new Set(value.map((each) => this.#write(each))).size < value.length)
      this.#note(path, phrase('must not have an item twice'));
    if (!isObject(items)) return;
    for (const [at, item] of value.entries()) this.value(items, item, join(path, String(at)));
  }

  #object(schema: Fields, value: Fields, path: string): void {
    const { properties, required, additionalProperties: others } = schema;
    const known = isObject(properties) ? properties : {};
    for (const name of Array.isArray(required) ? (required as string[]) : []) {
      if (Object.hasOwn(value, name)) continue;
      this.#take(1);
      this.#note(join(path, name), phrase('is required'));
    }
    for (const [name, inner] of Object.entries(value)) {
      this.#take(1);
      const field = Object.hasOwn(known, name) ? known[name] : others;
      if (field === false) this.#note(join(path, name), phrase('is not a known argument'));
      else if (isObject(field)) this.value(field, inner, join(path, name));
    }
  }

  /** A value as text, to compare it: the order of an object's fields does not matter. */
  #write(value: unknown): string {
    this.#take(1);
    const text = Array.isArray(value)
      ? `[${value.map((each) => this.#write(each)).join()}]`
      : isObject(value)
        ? `{${Object.keys(value)
            .toSorted()
            .map((name) => `${JSON.stringify(name)}:${this.#write(value[name])}`)
            .join()}}`
        : JSON.stringify(value);
    this.#take(text.length / CHARACTERS_PER_STEP);
    return text;
  }
}

const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
