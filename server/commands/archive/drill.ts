import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Call } from '../../../cli/command.ts';
import { count, saySize } from '../../../cli/terminal/amounts.ts';
import { onInterrupt } from '../../../cli/terminal/interrupt.ts';
import { CommandError, EXIT } from '../../../cli/usage.ts';
import { type Config, readConfig } from '../../platform/config/index.ts';
import { startStorage } from '../../platform/storage/index.ts';
import {
  ArchiveError,
  type Drill,
  diskPlace,
  drillBackup,
  findNewest,
  KeyError,
  openPlace,
  type Proven,
  saveProof,
} from '../../product/backup/index.ts';
import { isExpected } from '../expected.ts';
import { assertFile, readIdentityFile } from './files.ts';
import { createTally, sayCounts, sayMissing, summarize, watched } from './report.ts';

type Place = ReturnType<typeof diskPlace>;

/** `quire restore --drill [file]`: proves that a backup can be restored, and removes what it restored. */
export async function drill(call: Call): Promise<void> {
  const {
    args: [file],
    environment,
    out,
  } = call;
  const config = readConfig(environment);
  const identities = readIdentityFile(call.text('identity'));
  const { place, name } = file === undefined ? await findBackup(config) : nameFile(file);
  if (!out.isJson) out.note(`Proving ${name} of ${place.title}`);
  const tally = createTally(out, 'Restoring');
  const result = await onInterrupt((signal) =>
    drillBackup(place, name, {
      ...{ dataFolder: config.dataFolder, secret: config.secret, identities, signal, now: Date.now },
      onEntry: tally.setEntries,
      see: (stream) => watched(stream, (piece) => tally.addBytes(piece.length), signal),
    }).catch((error: unknown) => {
      if (signal.aborted) throw new CommandError('Stopped. Nothing was proven, and nothing is left.');
      if (error instanceof KeyError) throw new CommandError(error.message);
      throw error instanceof ArchiveError ? new CommandError(error.message, EXIT.notFound) : error;
    }),
  ).finally(tally.end);
  if (file === undefined) await keep(config, result, out.note);
  const { proven } = result;
  if (!proven)
    throw new CommandError(
      `${name} is not proven: ${result.problem} Nothing was restored, and earlier backups are unchanged.`,
      undefined,
      { name, problem: result.problem },
    );
  const { bytes, durationMs } = result;
  out.result(
    { name, bytes, seconds: durationMs / 1000, ...summarize(proven), ...pick(proven) },
    sayProven(result, proven),
  );
}

const pick = ({ databaseRows, page }: Proven) => ({ databaseRows, page });

async function findBackup(config: Config): Promise<{ place: Place; name: string }> {
  const place = openPlace(config);
  const name = await findNewest(place, Date.now());
  if (name === undefined)
    throw new CommandError(
      `There is no backup in ${place.title}. Make one, or name an archive: quire restore --drill <file>.`,
      EXIT.notFound,
    );
  return { place, name };
}

/** An archive that the server does not keep, with any name. */
function nameFile(file: string): { place: Place; name: string } {
  assertFile(file);
  const archive = Bun.file(file);
  const place = {
    ...diskPlace('.'),
    title: file,
    open: async () => ({ bytes: archive.size, body: archive }),
  };
  return { place, name: basename(file) };
}

/** Keeps the result for administrators and metrics, if the server's database is here. */
async function keep(config: Config, drill: Drill, note: (text: string) => void): Promise<void> {
  const { name, durationMs, problem } = drill;
  try {
    if (!config.databaseUrl && !existsSync(join(config.dataFolder, 'quire.db'))) return;
    const storage = await startStorage({ ...config, migrateTo: 'as they are' });
    try {
      const at = storage.clock.now();
      await saveProof(storage.db, { name, at, duration_ms: durationMs, problem });
    } finally {
      await storage.stop();
    }
  } catch (error) {
    if (!isExpected(error)) throw error;
    note(`The result could not be saved for the administration: ${error.message}`);
  }
}

function sayProven({ name, bytes, durationMs }: Drill, proven: Proven): string {
  const { totals, databaseRows, page, manifest } = proven;
  const lines = [
    `every checksum and every count is right: ${sayCounts(proven)}`,
    'the database opens as a server opens it, without damage',
    `${count(totals.blobs, 'file')} read again and compared`,
    ...(totals.databases > 0
      ? [`${count(totals.databases, 'database')} of functions read to the end: ${count(databaseRows, 'row')}`]
      : []),
    page ? `the page /p/${page.slug} was read (${saySize(page.bytes)})` : 'there is no page to read',
  ];
  const seconds = Math.max(1, Math.round(durationMs / 1000));
  return `${name} (${saySize(bytes)}, of ${manifest.createdAt}) can be restored. Proven in ${count(seconds, 'second')}:\n${lines.map((line) => `- ${line}`).join('\n')}${sayMissing(proven)}`;
}
