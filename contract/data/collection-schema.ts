import { z } from 'zod';
import { text } from '../fields.ts';
import { fromJsonSchema } from '../rules/json/json-schema.ts';
import { MAX_FIELD_NAME, MAX_INDEXES, MAX_SEARCH_FIELDS } from '../rules/limits.ts';
import { compilePattern } from '../rules/pattern.ts';
import { isObject } from '../rules/record-data.ts';
import { choiceRule, rule } from '../rules/texts/rule.ts';
import { RULES } from './collection-rules.ts';
import { isIndexable, isSearchable, MAX_INDEX_CHARACTERS } from './index-fields.ts';

/** The shape of a collection's schema, which says what the records of the collection must look like. */

const MAX_FIELDS = 200;
const MAX_PATTERN_CHARACTERS = 500;
const MAX_PATTERNS = 20;
const MAX_SCHEMA_LETTERS = 64 * 1024;
const MAX_NESTING = 8;
/** The most characters of a schema that an error message shows. */
const MAX_SHOWN_LETTERS = 2_000;
const EXAMPLE = '{"fields":{"status":{"type":"enum","values":["open","done"],"required":true}}}';
export const SCHEMA_BODY_LIMIT = 6 * MAX_SCHEMA_LETTERS + 1024;

const length = z.int('must be a whole number').min(0, 'must not be negative');
const common = { required: z.boolean('must be true or false').optional() };

const pattern = text()
  .max(
    MAX_PATTERN_CHARACTERS,
    rule('must have at most {max} characters', { max: String(MAX_PATTERN_CHARACTERS) }),
  )
  .refine(
    (source) => compilePattern(source) !== undefined,
    'is too large, or no regular expression that runs in linear time (RE2 has no look-around and no back-references)',
  );

const scalar = z.union([text(), z.number(), z.boolean()], {
  error: 'must be a string, a number, true or false',
});

export type FieldSchema =
  | { type: 'string'; required?: boolean; minLength?: number; maxLength?: number; pattern?: string }
  | { type: 'number'; required?: boolean; min?: number; max?: number }
  | { type: 'boolean'; required?: boolean }
  | { type: 'enum'; required?: boolean; values: Array<string | number | boolean> }
  | { type: 'array'; required?: boolean; items?: FieldSchema }
  | { type: 'object'; required?: boolean; properties?: Record<string, FieldSchema> }
  | { type: 'date'; required?: boolean };

const Field = z
  .lazy(() =>
    z.discriminatedUnion(
      'type',
      [
        z
          .strictObject({
            type: z.literal('string'),
            ...common,
            minLength: length.optional(),
            maxLength: length.optional(),
            pattern: pattern.optional(),
          })
          .refine(
            ({ minLength = 0, maxLength = minLength }) => minLength <= maxLength,
            'minLength is more than maxLength',
          ),
        z
          .strictObject({
            type: z.literal('number'),
            ...common,
            min: z.number('must be a number').optional(),
            max: z.number('must be a number').optional(),
          })
          .refine(
            ({ min, max }) => min === undefined || max === undefined || min <= max,
            'min is more than max',
          ),
        z.strictObject({ type: z.literal('boolean'), ...common }),
        z.strictObject({
          type: z.literal('enum'),
          ...common,
          values: z
            .array(scalar)
            .min(1, 'must name at least one value')
            .max(1000, 'has more than 1,000 values'),
        }),
        z.strictObject({ type: z.literal('array'), ...common, items: Field.optional() }),
        z.strictObject({ type: z.literal('object'), ...common, properties: Fields.optional() }),
        z.strictObject({ type: z.literal('date'), ...common }),
      ],
      { error: 'type must be string, number, boolean, enum, array, object or date' },
    ),
  )
  .meta({ id: 'FieldSchema' }) as z.ZodType<FieldSchema, FieldSchema>;

const Fields = z
  .record(
    text()
      .min(1, 'must not be empty')
      .max(MAX_FIELD_NAME, rule('is longer than {max} characters', { max: String(MAX_FIELD_NAME) })),
    Field,
  )
  .refine(
    (fields) => Object.keys(fields).length <= MAX_FIELDS,
    rule('has more than {max} fields', { max: String(MAX_FIELDS) }),
  )
  .meta({ id: 'FieldSchemas' });

const allowed = z.enum(RULES, { error: choiceRule(RULES) }).optional();

const CollectionRules = z
  .strictObject({ read: allowed, create: allowed, update: allowed, delete: allowed })
  .meta({
    id: 'CollectionRules',
    description: 'Who can do what with the records. Without a rule, the storage mode of the page decides.',
  });

const paths = z.array(
  text().max(
    MAX_INDEX_CHARACTERS,
    rule('is longer than {max} characters', { max: String(MAX_INDEX_CHARACTERS) }),
  ),
);

const Indexes = paths
  .max(MAX_INDEXES, rule('has more than {max} indexes', { max: String(MAX_INDEXES) }))
  .meta({
    description:
      'Fields that lists are filtered or ordered by, such as status or author.city. Lists by them stay fast.',
  });

const Search = paths
  .max(MAX_SEARCH_FIELDS, rule('has more than {max} fields', { max: String(MAX_SEARCH_FIELDS) }))
  .meta({ description: 'Texts whose words lists are searched for with q, such as title or author.name.' });

const parts = {
  fields: Fields,
  indexes: Indexes.optional(),
  search: Search.optional(),
  strict: z.boolean('must be true or false').optional(),
  rules: CollectionRules.optional(),
};

export const CollectionSchema = z
  .strictObject(parts)
  .refine(
    ({ fields }) => measureDepth(fields) <= MAX_NESTING,
    rule('is nested deeper than {max} levels', { max: String(MAX_NESTING) }),
  )
  .superRefine(({ fields, indexes = [], search = [] }, { addIssue }) => {
    const check = (name: string, paths: string[], isRight: typeof isIndexable, otherwise: string) => {
      for (const [at, path] of paths.entries()) {
        const isTwice = paths.indexOf(path) < at;
        if (!isTwice && isRight(fields, path)) continue;
        addIssue({ code: 'custom', path: [name, at], message: isTwice ? 'is there twice' : otherwise });
      }
    };
    check('indexes', indexes, isIndexable, 'is not a string, number, boolean, enum or date in fields');
    check('search', search, isSearchable, 'is not a string, an enum or an array of these in fields');
  })
  .meta({ id: 'CollectionSchema' });
export type CollectionSchema = z.infer<typeof CollectionSchema>;

/** A schema from a client. Its size is checked before its parts, because some of them take long to check. */
const GivenSchema = z
  .unknown()
  .superRefine((value, { addIssue }) => {
    const text = JSON.stringify(value) ?? '';
    const fault = (message: string) => addIssue({ code: 'custom', message });
    if (text.length > MAX_SCHEMA_LETTERS) {
      fault(rule('has more than {max} characters', { max: MAX_SCHEMA_LETTERS }));
    }
    if (text.split('"pattern":').length - 1 > MAX_PATTERNS)
      fault(rule('has more than {max} patterns', { max: String(MAX_PATTERNS) }));
    if (text.includes('"__proto__":')) fault('must not have a field called __proto__');
    const ours = text.length > MAX_SCHEMA_LETTERS ? undefined : fromJsonSchema(value);
    if (ours) fault(`is JSON Schema, which is not understood here. Send this instead: ${inShort(ours)}`);
  })
  // A collection can have rules and no fields.
  .transform((value) => (isObject(value) && isObject(value.rules) ? { fields: {}, ...value } : value))
  .pipe(CollectionSchema);

export const SchemaBody = z.strictObject({ schema: GivenSchema });
/** The body that sets a schema, for the API description. */
export const DescribedSchemaBody = z.strictObject({
  schema: z.union([
    CollectionSchema,
    z.strictObject({ rules: CollectionRules, strict: parts.strict }).meta({ id: 'RulesWithoutFields' }),
  ]),
});

const building = {
  state: z.enum(['building', 'ready']),
  /** How many of the records it has, while it is built. */
  percent: z.int().optional(),
};

export const SchemaResponse = z.object({
  collection: z.string(),
  storageType: z.string(),
  schema: CollectionSchema,
  /** The state of each index, if the schema has some. */
  indexes: z.array(z.object({ field: z.string(), ...building })).optional(),
  /** The state of the search, if the schema has one. */
  search: z.object(building).optional(),
  suggestedIndexes: z.array(z.string()).optional().meta({
    description:
      'For the owner: fields by which lists lately read every record of a large collection. An index makes these lists fast.',
  }),
});
export type SchemaResponse = z.infer<typeof SchemaResponse>;

/** The schema, or only its first field if it is long. */
function inShort(schema: { fields: Record<string, unknown> }): string {
  const text = JSON.stringify(schema);
  if (text.length <= MAX_SHOWN_LETTERS) return text;
  const first = JSON.stringify({ fields: Object.fromEntries(Object.entries(schema.fields).slice(0, 1)) });
  const example = first.length <= MAX_SHOWN_LETTERS ? first : EXAMPLE;
  return `fields in this form: ${example}`;
}

function measureDepth(fields: Record<string, FieldSchema>): number {
  const inner = Object.values(fields).map((field): number => {
    if (field.type === 'array') return field.items ? measureDepth({ items: field.items }) : 0;
    return field.type === 'object' && field.properties ? measureDepth(field.properties) : 0;
  });
  return 1 + Math.max(0, ...inner);
}
