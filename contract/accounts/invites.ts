import { z } from 'zod';
import { shortText, timestamp } from '../fields.ts';
import { rule } from '../rules/texts/rule.ts';
import { email } from './accounts.ts';
import { REGISTRATION_MODES } from './registration-modes.ts';

/** The wire shapes of registration: who can create an account, and invites to do so. */

const MAX_INVITE_USES = 1_000;
const MAX_INVITE_HOURS = 90 * 24;
const MAX_INVITE_NOTE = 200;

export const RegistrationSetting = z.strictObject({ mode: z.enum(REGISTRATION_MODES) });
export type RegistrationSetting = z.infer<typeof RegistrationSetting>;

const wholeNumber = (max: number) => {
  const error = rule('must be a whole number from 1 to {max}', { max });
  return z.int({ error }).min(1, { error }).max(max, { error });
};

export const InviteRequest = z.strictObject({
  maxUses: wholeNumber(MAX_INVITE_USES)
    .default(1)
    .meta({ description: 'How many people can register with the invite.' }),
  expiresInHours: wholeNumber(MAX_INVITE_HOURS).default(7 * 24),
  note: shortText(MAX_INVITE_NOTE)
    .default('')
    .meta({ description: 'What the invite is for. The people who are invited see this.' }),
  email: email.optional().meta({
    description: 'Where to send it. A person who registers with this address does not have to confirm it.',
  }),
});
export type InviteRequest = z.infer<typeof InviteRequest>;
/** A new invite as clients send it: fields with a default may be left out. */
export type NewInvite = z.input<typeof InviteRequest>;

/** An invite in a list. Its link is not shown. */
export const Invite = z.object({
  id: z.int(),
  note: z.string(),
  email: z.string().nullable(),
  uses: z.int(),
  maxUses: z.int(),
  createdBy: z.string().nullable().meta({ description: 'A user; null for the operator in a shell.' }),
  createdAt: timestamp,
  expiresAt: timestamp,
  isUsable: z.boolean(),
});
export type Invite = z.infer<typeof Invite>;
export const InviteList = z.object({ invites: z.array(Invite) });
export type InviteList = z.infer<typeof InviteList>;

export const CreatedInvite = z.object({
  success: z.literal(true),
  invite: Invite,
  link: z.string().meta({ description: 'The link to register, shown only once.' }),
  isMailed: z.boolean(),
});
export type CreatedInvite = z.infer<typeof CreatedInvite>;
