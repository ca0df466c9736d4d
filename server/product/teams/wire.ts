import { pageUrl } from '../../../contract/pages/pages.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import type { JoinedTeam } from './members.ts';
import type { FileRow, ListedInvite, MemberRow } from './store.ts';

/** Rows as the wire shapes of `contract/teams/teams.ts`. */

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
  ...(row.email !== null && { email: row.email }),
});

export const toFile = (row: FileRow) => ({
  id: row.id,
  name: row.name,
  size: row.size,
  contentType: row.content_type,
  uploadedBy: { id: row.uploaded_by, username: row.username },
  createdAt: toTimestamp(row.created_at),
});
