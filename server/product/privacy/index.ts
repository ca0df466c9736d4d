import { MAX_EXPORTS_PER_DAY, MAX_LEAVINGS_PER_DAY } from '../../../contract/accounts/privacy.ts';
import { type ExportFile, exportFile } from '../../lib/formats/export-files.ts';
import type { ServiceKey } from '../../lib/secrets.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Actor, Log, Route } from '../../platform/http/index.ts';
import type { LeavingCodes } from './codes.ts';
import type { ProveItIsYou } from './context.ts';
import { ExportCodes } from './export-codes.ts';
import { Exports } from './exports.ts';
import { writeReadme } from './readme.ts';
import { Removals, type RemovalsOptions } from './removals.ts';
import { privacyRoutes } from './routes.ts';
import { leavingScreens } from './screens.ts';
import { Stored } from './stored.ts';

/** Proofs that somebody logged in to an account that is about to be deleted. */
export { LeavingCodes } from './codes.ts';
/** How long people have to change their minds. */
export { RETURN_MS, type Removals } from './removals.ts';

/** The rate limit of listing and deleting stored data. A list reads a lot; a deletion is repeated until it is done. */
const LISTS_PER_MINUTE = { points: 20, seconds: 60 };
const DELETIONS_PER_MINUTE = { points: 120, seconds: 60 };
/** The rate limit of account deletions. Each request that is cancelled blocks and unblocks everything. */
const LEAVINGS_PER_DAY = { points: MAX_LEAVINGS_PER_DAY, seconds: 24 * 3600 };

/** Privacy: data export and account deletion. */
export interface Privacy {
  routes: Route[];
  /** Deletes accounts. */
  removals: Removals;
  /** Called when logins of a user have ended: an export that was started with one of them ends. */
  loginsEnded(userId: number): void;
  stop(): Promise<void>;
}

interface PrivacyOptions extends Omit<RemovalsOptions, 'limits'> {
  log: Log;
  now: () => number;
  limits: Limits;
  baseUrl: string;
  codes: LeavingCodes;
  key: ServiceKey;
  proveItIsYou: ProveItIsYou;
  /** Whether the login behind a request still stands. */
  isStillLoggedIn(actor: Actor): Promise<boolean>;
  /** The exporter of each slice. */
  exporters: Array<(userId: number) => AsyncIterable<ExportFile>>;
  stored: ConstructorParameters<typeof Stored>[0];
}

export function createPrivacy(options: PrivacyOptions): Privacy {
  const { limits, storage } = options;
  const stored = new Stored(options.stored);
  const exports = createExports(options, stored);
  const removals = new Removals({
    ...options,
    steps: [(userId) => exports.end(userId), ...options.steps],
  });
  const exportCodes = new ExportCodes(options);
  const context = { ...options, db: storage.db, exports, exportCodes, removals, stored };
  const message = 'Too many requests for what you have stored. Try again {wait}.';
  const listLimit = limits.limit('stored-lists', LISTS_PER_MINUTE, message);
  const deletionLimit = limits.limit('stored-deletions', DELETIONS_PER_MINUTE, message);
  const leavingLimit = limits.limit(
    'leavings',
    LEAVINGS_PER_DAY,
    'You have asked {points} times in a day to delete your account, which is the limit. Try again {wait}.',
  );
  return {
    routes: [
      ...privacyRoutes({ ...context, listLimit, deletionLimit, leavingLimit }),
      ...leavingScreens(context),
    ],
    removals,
    loginsEnded: (userId) => exports.loginsEnded(userId),
    async stop() {
      await exports.stop();
      await removals.stop();
    },
  };
}

function createExports(options: PrivacyOptions, stored: Stored): Exports {
  const { limits, now, exporters, baseUrl } = options;
  async function* listFiles(actor: Actor): AsyncGenerator<ExportFile> {
    yield exportFile('README.txt', writeReadme({ baseUrl, at: toTimestamp(now()) }));
    for (const each of exporters) yield* each(actor.userId);
    yield* stored.exportFiles(actor);
  }
  const perDay = limits.limit(
    'exports',
    { points: MAX_EXPORTS_PER_DAY, seconds: 24 * 3600 },
    'You have exported your account {points} times in a day, which is the limit. Try again {wait}.',
  );
  return new Exports({ ...options, listFiles, perDay });
}
