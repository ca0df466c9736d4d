import { z } from 'zod';
import { MAX_MODEL_PRICE, MAX_OFFERED_MODELS, MIN_MODEL_PRICE } from '../features/model-prices.ts';
import { list, shortText } from '../fields.ts';
import {
  CONNECTABLE,
  CONNECTION_KINDS,
  MAX_LISTED_MODELS,
  MAX_MODEL_NAME,
  MAX_NEW_USER_CREDITS,
  MAX_PROVIDER_KEY,
  MAX_PROVIDER_URL,
} from '../rules/provider-kinds.ts';
import { choiceRule, rule } from '../rules/texts/rule.ts';

/** The wire shapes of how administrators connect models and searches while the service runs. */

const KINDS = [
  ...new Set([...CONNECTION_KINDS.chat, ...CONNECTION_KINDS.images, ...CONNECTION_KINDS['image-search']]),
];

export const connectableParams = z.object({
  name: z.enum(CONNECTABLE, { error: choiceRule(CONNECTABLE) }),
});

const SOURCES = ['environment', 'dashboard', 'default'] as const;

export const Connection = z.object({
  source: z.enum(SOURCES).meta({
    description: 'Where it is set. What the environment sets cannot be changed here.',
  }),
  provider: z.string(),
  url: z.string().nullable().meta({ description: 'The URL of the API; null for the usual one.' }),
  model: z.string().nullable(),
  visionModel: z.string().nullable().meta({ description: 'Null if it is the same as `model`.' }),
  embedModel: z.string().nullable().meta({ description: 'The model for embeddings; null if there is none.' }),
  keyEnd: z
    .string()
    .nullable()
    .meta({ description: 'The last characters of the key; null if there is none. The key is never sent.' }),
  offersBuilder: z.boolean().meta({ description: 'Whether people can build pages with this model.' }),
  models: z
    .array(z.object({ name: z.string(), price: z.number() }))
    .meta({ description: 'Further models that visitors can choose, with credits for 1,000 tokens.' }),
});
export type Connection = z.infer<typeof Connection>;

const line = (max: number) =>
  shortText(max)
    .refine((value) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value), 'must be one line')
    .transform((value) => value.trim())
    .refine((value) => value.length > 0, 'must not be empty')
    .meta({ minLength: 1, maxLength: max });

const url = z
  .string()
  .max(MAX_PROVIDER_URL, rule('must have at most {max} characters', { max: MAX_PROVIDER_URL }))
  .transform((text) => text.trim())
  .refine((text) => {
    const parsed = URL.parse(text);
    return parsed !== null && /^https?:$/.test(parsed.protocol) && !parsed.username && !parsed.password;
  }, 'must be a URL such as https://api.example.com/v1, without a password')
  .meta({ maxLength: MAX_PROVIDER_URL, format: 'uri' });

/** A key goes into a header, so it has only visible ASCII characters. */
const key = z
  .string()
  .max(MAX_PROVIDER_KEY, rule('must have at most {max} characters', { max: MAX_PROVIDER_KEY }))
  .transform((text) => text.trim())
  .refine((text) => /^[\x21-\x7e]+$/.test(text), 'must be letters, digits and signs without spaces')
  .meta({ minLength: 1, maxLength: MAX_PROVIDER_KEY });

const PRICE = rule('must be from {min} to {max}', { min: MIN_MODEL_PRICE, max: MAX_MODEL_PRICE });

export const NewConnection = z.strictObject({
  provider: z.enum(KINDS, { error: choiceRule(KINDS) }),
  url: url.optional().meta({ description: 'The URL of the API. It can be an address in your own network.' }),
  key: key.nullable().optional().meta({
    description:
      'The API key; null for none. Without this field, the key that is saved for the same provider and host.',
  }),
  model: line(MAX_MODEL_NAME).optional(),
  visionModel: line(MAX_MODEL_NAME).optional().meta({ description: 'Another model to look at pictures.' }),
  embedModel: line(MAX_MODEL_NAME)
    .optional()
    .meta({ description: 'A model for embeddings in functions. Only openai-compatible providers have one.' }),
  offersBuilder: z
    .boolean()
    .optional()
    .meta({ description: 'False if the model cannot call tools. True if the field is left out.' }),
  models: list(
    z.strictObject({
      name: line(MAX_MODEL_NAME),
      price: z.number().min(MIN_MODEL_PRICE, PRICE).max(MAX_MODEL_PRICE, PRICE),
    }),
    {
      max: MAX_OFFERED_MODELS,
      tooLong: rule('has more than {max} models', { max: MAX_OFFERED_MODELS }),
    },
  )
    .optional()
    .meta({ description: 'Further models that visitors can choose, with credits for 1,000 tokens.' }),
});
export type NewConnection = z.infer<typeof NewConnection>;

export const ModelServers = z.object({
  servers: z.array(
    z.object({
      name: z.string().meta({ description: 'The program that usually has this port.' }),
      url: z.string(),
      models: z.array(z.string()).max(MAX_LISTED_MODELS),
    }),
  ),
});
export type ModelServers = z.infer<typeof ModelServers>;

export const NewUserCredits = z.object({
  credits: z.number(),
  source: z.enum(SOURCES),
});
export type NewUserCredits = z.infer<typeof NewUserCredits>;

export const SetNewUserCredits = z.strictObject({
  credits: z
    .int('must be a whole number')
    .min(0, 'must not be negative')
    .max(MAX_NEW_USER_CREDITS, rule('must be at most {max}', { max: MAX_NEW_USER_CREDITS }))
    .nullable()
    .meta({ description: 'Null for the default: 20 with the demo, otherwise 0.' }),
});
export type SetNewUserCredits = z.infer<typeof SetNewUserCredits>;
