import { z } from 'zod';
import { email } from '../accounts/accounts.ts';
import { binary, idOrSlugParams, idParams, shortText, timestamp } from '../fields.ts';
import { PageRef, UserRef } from '../references.ts';
import { GRANTABLE, ROLES } from '../roles.ts';
import { choiceRule, rule } from '../rules/texts/rule.ts';

/** The wire shapes of teams and their files, and their limits. */

const MAX_NAME = 200;
const MAX_CODE = 1000;

const grantable = z.enum(GRANTABLE, {
  error: choiceRule(GRANTABLE),
});
const wholeNumber = (max: number) => {
  const error = rule('must be a whole number from 1 to {max}', { max });
  return z.int({ error }).min(1, { error }).max(max, { error });
};

export const InviteBody = z.strictObject({
  role: grantable.default('member'),
  expiresInDays: wholeNumber(365).default(7),
  maxUses: wholeNumber(10_000).optional(),
});
export type InviteBody = z.infer<typeof InviteBody>;
/** A new invite as clients send it: fields with a default may be left out. */
export type NewInvite = z.input<typeof InviteBody>;
/** An invite that the service sends. Pages cannot: they would write to people in the name of their visitor. */
export const MailedInviteBody = InviteBody.extend({
  email: email.meta({ description: 'Where to send the link.' }),
  maxUses: wholeNumber(10_000).default(1),
});
export type MailedInviteBody = z.infer<typeof MailedInviteBody>;
export type NewMailedInvite = z.input<typeof MailedInviteBody>;
export const RoleBody = z.strictObject({ role: grantable });
export type RoleBody = z.infer<typeof RoleBody>;

export const pageParams = idOrSlugParams;
export const userParams = pageParams.extend({ userId: idParams.shape.id });
export const memberParams = pageParams.extend({ userId: z.literal('me').or(idParams.shape.id) });
export const fileParams = pageParams.extend({ fileId: z.uuid() });
export const inviteParams = pageParams.extend({ inviteId: z.string().max(MAX_CODE) });
/** The code of an invite in a path: any text, because a link that lost a part is still a link to an invite. */
export const codeParams = z.object({ code: z.string().max(MAX_CODE) });

const role = z.enum(ROLES);

export const Invite = z.object({
  inviteCode: z.string(),
  inviteUrl: z.string(),
  role: grantable,
  expiresAt: timestamp,
});
export type Invite = z.infer<typeof Invite>;
export const MailedInvite = Invite.extend({
  email: z.string(),
  isMailed: z
    .boolean()
    .meta({ description: 'False if too much mail was sent already. Then send the link yourself.' }),
});
export type MailedInvite = z.infer<typeof MailedInvite>;
/** An invite in a list, where its code is not shown. */
export const ListedInvite = z.object({
  id: z.string(),
  role: grantable,
  createdAt: timestamp,
  expiresAt: timestamp,
  /** How many people can join with the invite; null for no limit. */
  maxUses: z.int().nullable(),
  uses: z.int(),
  /** Who made the invite; null if the account was deleted. */
  createdBy: UserRef.nullable(),
  /** The address that the service sent the invite to, if it did. */
  email: z.string().optional(),
});
export type ListedInvite = z.infer<typeof ListedInvite>;
export const InviteList = z.object({
  invites: z.array(ListedInvite),
  sendsMail: z.boolean().meta({ description: 'False if this server does not send mail.' }),
});
export type InviteList = z.infer<typeof InviteList>;
export const Invitation = z.object({
  type: z.literal('team'),
  team: z.object({ role: grantable }),
  page: PageRef,
  isMember: z.boolean(),
  isAuthenticated: z.boolean(),
});
export type Invitation = z.infer<typeof Invitation>;
export const Joined = z.object({ success: z.literal(true), type: z.literal('team'), role, page: PageRef });
export type Joined = z.infer<typeof Joined>;
export const Member = z.object({ user: UserRef, role, joinedAt: timestamp });
export type Member = z.infer<typeof Member>;
export const MemberList = z.object({ members: z.array(Member) });
export type MemberList = z.infer<typeof MemberList>;
/** A page of someone else with a team that the user has joined. */
export const JoinedTeam = z.object({
  page: PageRef.extend({ url: z.string() }),
  role,
  joinedAt: timestamp,
});
export type JoinedTeam = z.infer<typeof JoinedTeam>;
export const TeamList = z.object({ teams: z.array(JoinedTeam) });
export type TeamList = z.infer<typeof TeamList>;
export const TeamFile = z.object({
  id: z.uuid(),
  name: z.string(),
  size: z.int(),
  contentType: z.string(),
  uploadedBy: UserRef,
  createdAt: timestamp,
});
export type TeamFile = z.infer<typeof TeamFile>;
export const FileList = z.object({ files: z.array(TeamFile) });
export type FileList = z.infer<typeof FileList>;

/** The name of a file, without the folders that some clients put before it. */
const fileName = z
  .string()
  .transform((given) => given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1).trim())
  .pipe(
    shortText(MAX_NAME)
      .refine((name) => !['', '.', '..'].includes(name), 'must be the name of a file')
      // Characters that turn the direction of writing make `gpj.exe` look like `exe.jpg`.
      .refine(
        (name) => !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(name),
        'must not contain control characters',
      ),
  );

/** The form that a file is uploaded in. */
export const UploadForm = z.object({ file: binary });

export const Upload = z.object({ file: fileName });
