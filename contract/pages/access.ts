import { z } from 'zod';
import { email, username } from '../accounts/accounts.ts';
import { DataAccess } from '../data/data-access.ts';
import { givenTime, list, shortText, timestamp } from '../fields.ts';
import { UserRef } from '../references.ts';
import { ROLES } from '../roles.ts';
import { MAX_PAGE_PASSWORD, MAX_PAGE_PEOPLE } from '../rules/limits.ts';
import { choiceRule, rule } from '../rules/texts/rule.ts';
import { ACCESS_MODES } from './access-modes.ts';

/** Who can see a page: the wire shapes. */

const mode = z.enum(ACCESS_MODES, {
  error: choiceRule(ACCESS_MODES),
});

const password = shortText(MAX_PAGE_PASSWORD)
  .refine((value) => value.length > 0, 'must not be empty')
  .meta({ minLength: 1, maxLength: MAX_PAGE_PASSWORD, format: 'password' });

/** A username or an e-mail address, in lower case. */
const person = z
  .string()
  .transform((value, { addIssue }) => {
    const found = (value.includes('@') ? email : username).safeParse(value.trim());
    if (found.success) return found.data;
    addIssue('must be a username or an e-mail address');
    return z.NEVER;
  })
  .meta({ minLength: 3, maxLength: 254 });

/** The people who can see a page. A person who is named twice, in capitals and without, counts once. */
const people = list(person, {
  max: MAX_PAGE_PEOPLE,
  tooLong: rule('has more than {max} people', { max: MAX_PAGE_PEOPLE }),
})
  .refine((named) => named.length > 0, 'must name somebody')
  .transform((named) => [...new Set(named)].sort());

/** The body that sets who can see a page. Fields that are left out keep their value while the mode stays the same. */
export const SetAccess = z
  .strictObject({
    mode,
    password: password.optional().meta({
      description: `For the mode password: 1 to ${MAX_PAGE_PASSWORD} characters. It is never returned.`,
    }),
    people: people.optional().meta({
      description: 'For the mode people: usernames, or confirmed e-mail addresses. Replaces the list.',
    }),
    expires_at: givenTime.nullable().optional().meta({
      description: 'From this time on only the owner and admins can see the page. null removes it.',
    }),
  })
  .superRefine((access, { addIssue }) => {
    for (const field of ['password', 'people'] as const) {
      if (access[field] === undefined || access.mode === field) continue;
      addIssue({ code: 'custom', path: [field], message: rule('is only for the mode {field}', { field }) });
    }
  });
export type SetAccess = z.infer<typeof SetAccess>;
/** New access settings as clients send them: fields with a default may be left out. */
export type NewAccess = z.input<typeof SetAccess>;

/** Who can see a page, as clients read it: without the password. Lists of pages leave out the people. */
export const Access = z.object({
  mode: z.enum(ACCESS_MODES),
  people: z.array(z.string()).optional(),
  expires_at: timestamp.optional(),
});
export type Access = z.infer<typeof Access>;

/** The password that a visitor gives for a page. A form may say where to go next, on the same host. */
export const GivenPassword = z.strictObject({
  password: shortText(MAX_PAGE_PASSWORD),
  next: z.string().max(4_000).optional(),
});

/** A pass: the proof that the password was given. Programs send it in the header `X-Page-Pass`. */
export const Pass = z.object({ pass: z.string(), expiresIn: z.int() });

/** Who looks at a page. */
export const Visitor = z.object({
  user: UserRef.nullable(),
  role: z.enum(ROLES).nullable(),
  access: DataAccess.optional().meta({ description: 'Access to the data of the page, if it stores data.' }),
});
export const RenewedSession = z.object({ pageSession: z.string().optional(), expiresIn: z.int() });
