import { type ExportFile, exportFile, safeName } from '../../../lib/formats/export-files.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { KeptBlobs } from '../../../platform/blobs/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { fileKey } from '../files.ts';
import { type FileRow, listFiles, listInvites, listMembers, type TeamPage } from '../store.ts';

interface TeamExport {
  db: Db;
  kept: Pick<KeptBlobs, 'open'>;
}

/** Exports the members, invites and files of a page's team. */
export async function* exportTeam(
  { db, kept }: TeamExport,
  page: TeamPage,
  folder: string,
): AsyncGenerator<ExportFile> {
  const members = await listMembers(db, page);
  const invites = await listInvites(db, page.id, 0);
  const files = await listFiles(db, page.id);
  if (members.length + invites.length + files.length === 0) return;
  yield exportFile(`${folder}/team/team.json`, {
    members: members.map((row) => ({
      username: row.username,
      role: row.role,
      joinedAt: toTimestamp(row.joined_at),
    })),
    invites: invites.map((row) => ({
      role: row.role,
      uses: row.uses,
      maxUses: row.max_uses,
      email: row.email,
      createdBy: row.username,
      createdAt: toTimestamp(row.created_at),
      expiresAt: toTimestamp(row.expires_at),
    })),
    files: files.map(toFile),
  });
  for (const file of files) yield* exportTeamFile(kept, file, `${folder}/team/files`);
}

export const toFile = (row: FileRow) => ({
  id: row.id,
  name: row.name,
  contentType: row.content_type,
  size: row.size,
  uploadedBy: row.username,
  createdAt: toTimestamp(row.created_at),
});

/** The bytes of a file, unless it has been deleted. */
export async function* exportTeamFile(
  kept: Pick<KeptBlobs, 'open'>,
  { id, name }: Pick<FileRow, 'id' | 'name'>,
  folder: string,
): AsyncGenerator<ExportFile> {
  const blob = await kept.open(fileKey(id));
  if (blob) yield { path: `${folder}/${id}-${safeName(name)}`, ...blob };
}
