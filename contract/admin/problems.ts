import { phrase, type Sentence, type Text } from '../rules/texts/fill.ts';

/**
 * What can be wrong with backups and replicas. The server stores and logs these sentences in English. Whoever shows one in
 * another language finds it here, also one that an earlier release has stored.
 */
const PROBLEMS: readonly Text[] = [
  phrase('There is not enough space for it. Delete old backups, or free space on the disk.'),
  phrase('Something went wrong. The log of the server says what.'),
  phrase('The server stopped before it was complete.'),
  phrase('The drill did not reach its end. The log of the server says why.'),
  phrase(
    'There is not enough space in {folder} to restore the backup. Free space, or run the drill on another machine.',
  ),
  phrase(
    'This archive was made by Quire {version}, whose tables this one does not know. Update Quire first.',
  ),
  phrase('This archive was made by Quire {version}, which is newer than this one. Update Quire first.'),
  phrase('There is no backup {name}.'),
  phrase('The secret key does not open this backup. It was encrypted for another one.'),
  phrase('The archive is damaged or incomplete: it cannot be decrypted.'),
  phrase('The archive is damaged or incomplete: it cannot be unpacked.'),
  phrase('The archive is damaged: its secret is not the one it was made with.'),
  phrase('The archive is damaged: its secret is missing.'),
  phrase('The archive is damaged: checksums are missing.'),
  phrase('The archive is damaged: the checksum of {name} is wrong.'),
  phrase('The archive is incomplete: its end was not written.'),
  phrase('The archive is incomplete: its end is missing.'),
  phrase('This is not a Quire archive, or it is damaged.'),
  phrase('This is not a Quire archive.'),
  phrase('There is data after the end of the archive.'),
  phrase('The archive should hold {expected} rows of {table} and holds {found}.'),
  phrase('The archive should hold {expected} files and holds {found}.'),
  phrase('{name} in the archive is not a plain file.'),
  phrase('{name} in the archive has no size that makes sense.'),
  phrase('{name} in the archive holds a line that is not a row.'),
  phrase('{name} in the archive does not say what it should.'),
  phrase('{name} in the archive is not what it should be.'),
  phrase('{name} does not belong into an archive of Quire.'),
  phrase('{name} comes after the end of the archive.'),
  phrase('{name} is too large: {size} bytes.'),
  phrase('There is no table {table} to put rows into.'),
  phrase('The rows of {table} in the archive do not all have the same columns.'),
  phrase('The rows of {table} cannot be put back: {reason}'),
  phrase('The rows cannot be saved: {reason}'),
  phrase('The tables cannot be migrated: {reason}'),
  phrase('{table} should have {expected} rows and has {found} after the restore.'),
  phrase('{table} should have {expected} rows and has {found}.'),
  phrase('The file {name} cannot be written: {reason}'),
  phrase('The bucket at S3_BUCKET cannot be written: {reason}'),
  phrase('The disk of {folder} is full.'),
  phrase('The disk of {folder} has no space for a database of {size} bytes.'),
  phrase('The restored database is damaged: {reason}'),
  phrase('The restored database has pages, but the newest of them cannot be read.'),
  phrase('The restored file {name} is not what it was.'),
  phrase('The restored database {id} of a function cannot be read.'),
  phrase('The replica at {name} cannot be written: {reason}'),
  phrase(
    'Another server has just begun to write to the replica at {name}. Give each server a place of its own.',
  ),
  phrase(
    '{server} writes to the replica at {name} now. This server has stopped doing so. Set QUIRE_REPLICA to another place.',
  ),
  phrase(
    'The replica at {name} is damaged: it does not say which server it belongs to. Set QUIRE_REPLICA to another place.',
  ),
  phrase(
    'The replica at {name} belongs to {server}, and not to this server. Set QUIRE_REPLICA to a place of its own.',
  ),
  phrase(
    '{server}, from which this data was restored, still writes to the replica at {name}, or did a minute ago. Stop it, or set QUIRE_REPLICA to another place.',
  ),
];

/** Parts of these sentences that are sentences themselves. */
const PARTS: readonly Text[] = [
  phrase('its disk is full'),
  phrase(
    'nothing is left of it. If it is on a disk that is not mounted, mount the disk. To begin a new replica, set QUIRE_REPLICA to another place',
  ),
  phrase('the database {name}: {reason}'),
  phrase('another server'),
  phrase('the server on {host} with the data folder {folder}'),
];

/** A problem as it is stored, with places for its values. Undefined for one that comes from elsewhere. */
export function readProblem(message: string): Sentence | undefined {
  const found = find(PROBLEMS, message);
  if (!found) return undefined;
  const values = Object.entries(found.values).map(([name, value]) => [name, find(PARTS, value) ?? value]);
  return { text: found.text, values: Object.fromEntries(values) };
}

function find(sentences: readonly Text[], message: string) {
  for (const { text } of sentences) {
    const groups = toPattern(text).exec(message);
    if (groups) return { text, values: { ...groups.groups } };
  }
  return undefined;
}

const toPattern = (text: string) => {
  const escaped = text.replace(/[.*+?^$()[\]\\|]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{(\w+)\}/g, '(?<$1>.*?)')}$`, 's');
};
