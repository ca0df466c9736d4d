import type { Call } from '../../cli/command.ts';
import { CommandError, EXIT, UsageError } from '../../cli/usage.ts';
import type { Resealed, ServiceKey } from '../lib/secrets.ts';
import { type Config, readConfig } from '../platform/config/index.ts';
import {
  findNodesWithout,
  finishRotation,
  forgetOtherNodes,
  replaceClusterKey,
  resealClusterKey,
  resealProviderKeys,
  useKey,
} from '../platform/service-settings/index.ts';
import {
  type Db,
  listRunningNodes,
  readServiceKey,
  type Storage,
  startStorage,
  untilWritesEnd,
} from '../platform/storage/index.ts';
import { resealFunctions } from '../product/functions/index.ts';
import { replaceTerms } from '../runtime/databases/index.ts';
import { assertDatabase } from './archive/data-locations.ts';

const LOOK_AGAIN_MS = 200;
/** Nodes look every two seconds which key is in use. */
const ADOPT_MS = 30_000;
/** How many lost secrets the text names. With `--json`, all are there. */
const MOST_NAMES = 20;

/** `quire secrets rotate`: encrypts everything with the new key, while servers run. It can be ended and run again. */
export async function rotateSecrets(call: Call): Promise<void> {
  const config = readConfig(call.environment);
  const key = readServiceKey(config);
  if (!key.isReplaced)
    throw new UsageError(
      'There is no new key. Set QUIRE_SECRET to the new key and QUIRE_SECRET_OLD to the old one, restart every server, and run this again.',
    );
  assertDatabase(config);
  const storage = await startStorage(config);
  try {
    const { db, clock } = storage;
    const place = { db, engine: storage.engine, dataFolder: config.dataFolder, now: clock.now };
    await assertKnown(place, key);
    await useKey(db, key.newest.id, clock.now());
    await untilUsed(place, key);
    await assertWritten(place);
    key.useNew();
    const result = await resealAll(db, key, clock.now());
    const isClusterKeyNew = config.cluster !== undefined && (await replaceUnused(config.cluster, place, key));
    await forgetOtherNodes(place);
    await finishRotation(db, key.newest.id, clock.now());
    report(call, key.newest.id, { ...result, isClusterKeyNew });
  } finally {
    await storage.stop();
  }
}

/** Encrypts everything. What a server encrypted meanwhile with the old key is found in the next round. */
async function resealAll(db: Db, key: ServiceKey, now: number): Promise<Resealed> {
  const cluster = await resealClusterKey(db, key, now);
  const providers = await resealProviderKeys(db, key, now);
  for (let moved = cluster.moved + providers.moved; ; ) {
    const round = await resealFunctions(db, key);
    moved += round.moved;
    if (round.moved === 0) return { moved, lost: [...cluster.lost, ...providers.lost, ...round.lost] };
  }
}

/** Gives a cluster another key while none of its nodes runs: those that run could not speak with the others. */
async function replaceUnused(
  cluster: NonNullable<Config['cluster']>,
  place: Place & { now: () => number },
  key: ServiceKey,
): Promise<boolean> {
  if ((await listRunningNodes(place)).length > 0) return false;
  await replaceTerms({ ...cluster, key: await replaceClusterKey(place.db, key, place.now()) });
  return true;
}

type Place = Parameters<typeof findNodesWithout>[0] & Pick<Storage, 'engine'>;

async function assertKnown(place: Place, key: ServiceKey): Promise<void> {
  const { unaware } = await findNodesWithout(place, key.newest.id);
  if (unaware.length === 0) return;
  throw new CommandError(
    `These servers do not know the new key: ${unaware.join(', ')}. Set QUIRE_SECRET and QUIRE_SECRET_OLD there too, restart them, and run this again. Nothing has changed.`,
    EXIT.conflict,
  );
}

/** Until then, a server still encrypts with the old key. */
async function untilUsed(place: Place, key: ServiceKey): Promise<void> {
  const deadline = performance.now() + ADOPT_MS;
  for (;;) {
    const { unaware, waiting } = await findNodesWithout(place, key.newest.id);
    const late = [...unaware, ...waiting];
    if (late.length === 0) return;
    if (performance.now() > deadline)
      throw new CommandError(
        `These servers do not use the new key yet: ${late.join(', ')}. Look at their logs, and run this again: it goes on.`,
        EXIT.conflict,
      );
    await Bun.sleep(LOOK_AGAIN_MS);
  }
}

/** Waits for what servers had begun to write before they used the new key: it would be left behind. */
async function assertWritten(place: Place): Promise<void> {
  if (await untilWritesEnd(place, ADOPT_MS)) return;
  throw new CommandError(
    'A transaction that began before all servers used the new key is still open in the database. Run this again: it goes on.',
    EXIT.conflict,
  );
}

function report(
  call: Call,
  key: string,
  { moved, lost, isClusterKeyNew }: Resealed & { isClusterKeyNew: boolean },
): void {
  const others = lost.length - MOST_NAMES;
  const names = `${lost.slice(0, MOST_NAMES).join(', ')}${others > 0 ? `, and ${others} others` : ''}`;
  const losses =
    lost.length === 0
      ? ''
      : ` These were encrypted with a key that is neither of the two, and somebody has to set them again: ${names}.`;
  call.out.done(
    { key, moved, lost, isClusterKeyNew },
    `Encrypted ${moved} secrets with the new key.${losses}${isClusterKeyNew ? ' The hosts of databases have a new key, too.' : ''} Back up now, then remove QUIRE_SECRET_OLD and restart every server.`,
  );
}
