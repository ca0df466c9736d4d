import { z } from 'zod';
import { shortText, text } from '../../../../contract/fields.ts';

/** What functions send to the services in `env`. */

const MAX_SUBJECT = 200;
const MAX_LETTER = 50_000;
const MAX_LETTER_HTML = 100_000;
/** Characters that end a header, or that nobody can see. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Who gets mail that is for the whole team. */
export const WHOLE_TEAM = 'team';

/** `env.MAIL.send`. Without `to`, the owner gets it. */
export const Letter = z.strictObject({
  to: z.string('must be a username or an e-mail address').min(1, 'must not be empty').max(254).optional(),
  subject: shortText(MAX_SUBJECT)
    .refine((value) => value.trim() !== '', 'must not be empty')
    .refine((value) => !CONTROL.test(value), 'must be one line without control characters'),
  text: shortText(MAX_LETTER).refine((value) => value.trim() !== '', 'must not be empty'),
  html: shortText(MAX_LETTER_HTML).optional(),
});
export type Letter = z.infer<typeof Letter>;

/** A part of the path of a request to the API: these two would lead to another path. */
const isPart = (name: string) => name !== '.' && name !== '..';

/** An operation of `env.DATA`. The record API checks the rest. */
export const DataOperation = z.strictObject({
  type: z.enum(['team', 'social']),
  collection: z.string('must be the name of a collection').refine(isPart, 'must be the name of a collection'),
  op: z.enum(['list', 'count', 'get', 'create', 'update', 'replace', 'delete']),
  id: z.string('must be the id of a record').optional(),
  query: z.record(z.string(), z.unknown(), 'must be an object').default({}),
  data: z.unknown().optional(),
  /** The visitor with whose rights this is done; without it, with the owner's. */
  visit: z.string().max(4_000).optional(),
});
export type DataOperation = z.infer<typeof DataOperation>;

/** `env.FORMS.list`. */
export const FormsQuestion = z.strictObject({
  name: z.string('must be the name of a form').max(200).refine(isPart, 'must be the name of a form'),
  query: z.record(z.string(), z.unknown(), 'must be an object').default({}),
});

/** `env.TEAM.list`. */
export const TeamQuestion = z.strictObject({});

/** `env.FUNCTIONS.call`. */
export const FunctionCall = z.strictObject({
  slug: text(),
  body: z.unknown().optional(),
});

/** What `env.AI` can do. The body of each has a shape of its own. */
export const AiQuestion = z.strictObject({ op: z.enum(['chat', 'embed']), body: z.unknown() });
