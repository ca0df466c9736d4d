import { currentName, MIGRATION_NAMES } from '../../platform/storage/index.ts';
import { ArchiveError } from './archive/archive-error.ts';
import { fingerprint, type Manifest } from './archive/manifest.ts';
import { type ArchiveContents, readArchive } from './read.ts';

export type { ArchiveContents } from './read.ts';

/**
 * Reads an archive to its end without writing anything. An archive that this program made may have tables that it does
 * not know, after a downgrade from a later version.
 */
export async function checkArchive(
  stream: ReadableStream<Uint8Array>,
  onEntry?: (entries: number) => void,
  { isNew = false } = {},
): Promise<ArchiveContents> {
  let secret: Manifest['secret'] | undefined;
  const nothing = async () => undefined;
  return readArchive(
    stream,
    {
      async manifest(manifest) {
        if (!isNew) assertKnown(manifest);
        secret = manifest.secret;
      },
      secret: async (key) => assertSecret(secret, key),
      rows: nothing,
      blob: nothing,
      async database(_path, _size, bytes) {
        for await (const _ of bytes);
      },
    },
    onEntry,
  );
}

/** Fails if the archive's tables are from a later version than this program. */
export function assertKnown({ migration, quire }: Manifest): void {
  if (MIGRATION_NAMES.includes(currentName(migration))) return;
  throw new ArchiveError(
    `This archive was made by Quire ${quire}, whose tables this one does not know. Update Quire first.`,
  );
}

/** Fails if a key is not the one that the archive was made with. */
export function assertSecret(secret: Manifest['secret'] | undefined, key: Buffer): void {
  if (secret?.fingerprint === fingerprint(key)) return;
  throw new ArchiveError('The archive is damaged: its secret is not the one it was made with.');
}
