import { z } from 'zod';
import { binary, idOrSlugParams, idParams, shortText, timestamp } from '../../../contract/fields.ts';
import { pageUrl } from '../../../contract/pages.ts';
import { GRANTABLE, ROLES } from '../../../contract/roles.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import type { JoinedTeam } from './members.ts';
import type { FileRow, ListedInvite, MemberRow } from './store.ts';

/** The wire shapes of teams and their files, and their limits. */

export const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_NAME = 200;

const grantable = z.enum(GRANTABLE, { error: `must be one of ${GRANTABLE.join(', ')}` });
const wholeNumber = (max: number) => {
  const error = `must be a whole number from 1 to ${max.toLocaleString('en')}`;
  return z.int({ error }).min(1, { error }).max(max, { error });
};

export const InviteBody = z.strictObject({
  role: grantable.default('member'),
  expiresInDays: wholeNumber(365).default(7),
  maxUses: wholeNumber(10_000).optional(),
});
export type InviteBody = z.infer<typeof InviteBody>;
export const RoleBody = z.strictObject({ role: grantable });
export const NoFields = z.strictObject({});

export const pageParams = idOrSlugParams;
export const userParams = pageParams.extend({ userId: idParams.shape.id });
export const memberParams = pageParams.extend({ userId: z.literal('me').or(idParams.shape.id) });
export const fileParams = pageParams.extend({ fileId: z.uuid() });
export const inviteParams = pageParams.extend({ inviteId: z.string().regex(/^[\w-]{16,64}$/) });
export const codeParams = z.object({ code: z.string().regex(/^[\w-]{10,100}$/) });

const role = z.enum(ROLES);
const user = z.object({ id: z.int(), username: z.string() });
const page = z.object({ id: z.int(), name: z.string(), slug: z.string() });

export const Invite = z.object({
  inviteCode: z.string(),
  inviteUrl: z.string(),
  role: grantable,
  expiresAt: timestamp,
});
export const InviteList = z.object({
  invites: z.array(
    z.object({
      id: z.string(),
      role: grantable,
      createdAt: timestamp,
      expiresAt: timestamp,
      maxUses: z.int().nullable(),
      uses: z.int(),
      createdBy: user.nullable(),
    }),
  ),
});
export const Invitation = z.object({
  type: z.literal('team'),
  team: z.object({ role: grantable }),
  page,
  isMember: z.boolean(),
  isAuthenticated: z.boolean(),
});
export const Joined = z.object({ success: z.literal(true), type: z.literal('team'), role, page });
export const Member = z.object({ user, role, joinedAt: timestamp });
export const MemberList = z.object({ members: z.array(Member) });
export const TeamList = z.object({
  teams: z.array(z.object({ page: page.extend({ url: z.string() }), role, joinedAt: timestamp })),
});
export const TeamFile = z.object({
  id: z.uuid(),
  name: z.string(),
  size: z.int(),
  contentType: z.string(),
  uploadedBy: user,
  createdAt: timestamp,
});
export const FileList = z.object({ files: z.array(TeamFile) });

/** A file's name without the folders that some browsers and programs put before it. */
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

/** The form that a file comes in. */
export const UploadForm = z.object({ file: binary });

export const Upload = z.object({ file: fileName });

/** What a sender calls the type, where it is one; parameters are left out. */
export function contentTypeOf(given: string | undefined): string {
  const [essence = ''] = (given ?? '').split(';');
  const type = essence.trim().toLowerCase();
  return /^[a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,120}$/.test(type) ? type : 'application/octet-stream';
}

export const toPage = ({ id, name, slug }: PageRow) => ({ id, name, slug });

export const toMember = (row: MemberRow) => ({
  user: { id: row.user_id, username: row.username },
  role: row.role,
  joinedAt: toTimestamp(row.joined_at),
});

export const toTeam = ({ id, name, slug, role, joined_at }: JoinedTeam, baseUrl: string) => ({
  page: { id, name, slug, url: pageUrl(baseUrl, slug) },
  role,
  joinedAt: toTimestamp(joined_at),
});

export const toListedInvite = (row: ListedInvite) => ({
  id: row.id,
  role: row.role,
  createdAt: toTimestamp(row.created_at),
  expiresAt: toTimestamp(row.expires_at),
  maxUses: row.max_uses,
  uses: row.uses,
  createdBy: row.created_by === null ? null : { id: row.created_by, username: row.username ?? '' },
});

export const toFile = (row: FileRow) => ({
  id: row.id,
  name: row.name,
  size: row.size,
  contentType: row.content_type,
  uploadedBy: { id: row.uploaded_by, username: row.username },
  createdAt: toTimestamp(row.created_at),
});
