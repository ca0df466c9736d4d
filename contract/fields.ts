import { z } from 'zod';
import { MAX_BRANCH_NAME, MAX_NOTE } from './rules/limits.ts';
import { characterCount, isStorable } from './rules/text.ts';
import { rule } from './rules/texts/rule.ts';

/** Kinds of field that many resources have. */

const storable = () => z.refine<string>(isStorable, 'must not contain NUL characters or unpaired surrogates');

/** Text that every engine can store unchanged. */
export const text = () => z.string().check(storable());

/** Text of at most `max` characters, counted as people count them. The JSON Schema says so too. */
export const shortText = (max: number) =>
  z
    .string()
    .check(
      storable(),
      z.refine<string>(
        (value) => value.length <= max || characterCount(value) <= max,
        rule('must have at most {max} characters', { max }),
      ),
    )
    // Unlike `meta`, `register` does not copy the schema. Every start makes all of the many schemas.
    .register(z.globalRegistry, { maxLength: max });

/** A note on a draft or a version. */
export const note = shortText(MAX_NOTE)
  .transform((value) => value.trim())
  .meta({ maxLength: MAX_NOTE });

/** The query parameter that reads a long list from its end: the id of the earliest item that the client has. */
export const earlierThan = (what: string, fault: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, fault)
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 1, description: `${what}: those before it are read.` });

/** A list whose length is checked before its items: there may be a hundred thousand, each with its own error. */
export const list = <Item extends z.ZodType>(
  item: Item,
  { max, tooLong = rule('has more than {max} items', { max }) }: { max: number; tooLong?: string },
) => {
  const checked = z.preprocess(
    (value, { addIssue }) => {
      if (Array.isArray(value) && value.length > max) addIssue(tooLong);
      return value;
    },
    z.array(item).max(max, tooLong),
  );
  // A preprocessed value is unknown to zod. Clients send a list.
  return checked as z.ZodType<z.output<Item>[], z.input<Item>[]>;
};

/** The id of a row: a positive whole number. */
export const rowId = z
  .string()
  .regex(/^\d{1,16}$/, 'must be a whole number of 1 or more')
  .transform(Number)
  .refine((value) => value >= 1 && Number.isSafeInteger(value), 'must be a whole number of 1 or more')
  .meta({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** Path parameters with a numeric `:id`. Ids of any other form get a 404. */
export const idParams = z.object({ id: rowId });

/** Path parameters with an `:id` that is an id or a slug. */
export const idOrSlugParams = z.object({
  id: z.string().meta({ maxLength: 140, description: "The page's id or its slug." }),
});

/** Bytes, in the API description. */
export const binary = z.string().meta({ format: 'binary' });

/** A number in a query string. */
export const queryNumber = (options: { min: number; max: number; fallback: number }) =>
  z
    .string()
    .regex(
      /^\d{1,15}$/,
      rule('must be a whole number from {min} to {max}', {
        min: String(options.min),
        max: String(options.max),
      }),
    )
    .transform(Number)
    .refine(
      (value) => value >= options.min && value <= options.max,
      rule('must be from {min} to {max}', { min: String(options.min), max: String(options.max) }),
    )
    .default(options.fallback)
    .register(z.globalRegistry, {
      type: 'integer',
      minimum: options.min,
      maximum: options.max,
      default: options.fallback,
    });

/** The response to a request that has no data to return: a sentence for a person. */
export const Done = z.object({ success: z.literal(true), message: z.string() });
export type Done = z.infer<typeof Done>;
export const done = (message: string): Done => ({ success: true, message });

/** The response to the restore of a version: the number of the new version. */
export const Restored = Done.extend({ version: z.int() });
export type Restored = z.infer<typeof Restored>;

/** The number of a version in a path. Anything else gets a 404. */
export const versionNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/)
  .transform(Number)
  .meta({ type: 'integer', minimum: 1, maximum: 999_999_999 });

/** A time on the wire. */
export const timestamp = z.string().meta({ format: 'date-time' });

/** A time that clients send, as milliseconds. `Date` also parses other texts, without a zone as local time. */
export const givenTime = z
  .string()
  .refine(
    (value) =>
      z.iso.datetime({ offset: true }).safeParse(value).success && Number.isFinite(Date.parse(value)),
    'must be a date and time with a time zone, such as 2030-01-31T12:00:00Z',
  )
  .transform((value) => Date.parse(value))
  .meta({ format: 'date-time' });

/** When and why an administrator took down a page or function. */
export const TakenDown = z.object({ at: timestamp, reason: z.string() });
export type TakenDown = z.infer<typeof TakenDown>;

/** A body that may be left out, and may hold nothing. */
export const NoFields = z.strictObject({});

/** It is part of a label of a host name, which neither begins nor ends with a hyphen, and has no capitals. */
export const branchName = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,${MAX_BRANCH_NAME - 2}}[A-Za-z0-9])?$`),
    rule('must have 1 to {max} letters, digits and hyphens, and begin and end with a letter or digit', {
      max: MAX_BRANCH_NAME,
    }),
  )
  .transform((name) => name.toLowerCase())
  .meta({
    maxLength: MAX_BRANCH_NAME,
    description: 'It is part of a host name: capitals become small letters.',
  });
