import { z } from 'zod';
import { list, shortText } from '../fields.ts';
import { isCollectionName, MAX_COLLECTION_NAME } from '../rules/collection-names.ts';
import { MAX_TRIGGERS, TRIGGER_ACTIONS } from '../rules/limits.ts';
import { rule } from '../rules/texts/rule.ts';

/** The wire shapes of triggers, which send a function the changes of a collection of its page. */

const MAX_TRIGGER_URL = 2_000;

const actions = z
  .array(z.enum(TRIGGER_ACTIONS, { error: 'must be create, update or delete' }), 'must be a list')
  .min(1, 'must name at least one action')
  .max(TRIGGER_ACTIONS.length, 'must not name an action twice')
  .refine((names) => new Set(names).size === names.length, 'must not name an action twice');

/** What to get, as owners send it. */
export const NewTrigger = z.strictObject({
  collection: z
    .string('must be text')
    .refine(isCollectionName, 'must be the name of a collection: a to z, digits and _')
    .meta({ maxLength: MAX_COLLECTION_NAME }),
  actions,
  url: shortText(MAX_TRIGGER_URL)
    .refine(isWebAddress, 'must be an address that begins with https:// or http://, without a password')
    .optional()
    .meta({
      description: 'Changes are sent to it with POST, signed. Without it, to the queue of the function.',
    }),
});
export type NewTrigger = z.infer<typeof NewTrigger>;

/** All triggers of a function. They replace the existing ones. */
export const NewTriggers = list(NewTrigger, {
  max: MAX_TRIGGERS,
  tooLong: rule('has more than {max} triggers', { max: MAX_TRIGGERS }),
}).refine(
  (triggers) =>
    new Set(triggers.map(({ collection, url = '' }) => `${collection} ${url}`)).size === triggers.length,
  'must not name a collection twice for the same address',
);

/** A trigger of a function, as only its owner sees it. */
export const Trigger = z.object({
  collection: z.string(),
  actions: z.array(z.enum(TRIGGER_ACTIONS)),
  url: z.string().optional(),
  secret: z.string().optional().meta({
    description:
      'Signs what is sent to the URL. Tokens that cannot change the function do not see it. It is also missing if the key of the server was lost: then remove the trigger and add it again.',
  }),
});
export type Trigger = z.infer<typeof Trigger>;

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
