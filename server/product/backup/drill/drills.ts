import { helperCommand } from '../../../lib/modules.ts';
import type { Log } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { readName } from '../kept/names.ts';
import type { PlaceSettings } from '../kept/open-place.ts';
import type { Drill } from './run-drill.ts';
import { findLastProof, saveProof } from './store.ts';

/** How old the last proof is at least when the server makes the next one. */
const EVERY_MS = 20 * 3600 * 1000;
/** A drill that takes longer hangs. */
const MAX_MS = 12 * 3600 * 1000;

const BROKEN = 'The drill did not reach its end. The log of the server says why.';

/** What the process of a drill reads. */
export interface DrillOrder {
  name: string;
  settings: PlaceSettings;
  secret: string | undefined;
}

interface DrillsOptions {
  db: Db;
  log: Log;
  now: () => number;
  settings: PlaceSettings;
  secret: string | undefined;
}

/** Proves backups that are not encrypted, in a process of its own, at most once a day. */
export class Drills {
  readonly #options: DrillsOptions;
  #child: Bun.Subprocess | undefined;
  #isStopping = false;

  constructor(options: DrillsOptions) {
    this.#options = options;
  }

  /** Proves a backup, and keeps the result. The server cannot open an encrypted one. */
  async prove(name: string): Promise<void> {
    const { db, log, now } = this.#options;
    if (readName(name)?.isEncrypted !== false || this.#isStopping) return;
    const last = await findLastProof(db);
    if (last && last.problem === null && last.at > now() - EVERY_MS && last.at <= now()) return;
    const drill = await this.#run(name);
    if (this.#isStopping) return;
    const { durationMs, problem } = drill ?? { durationMs: 0, problem: BROKEN };
    await saveProof(db, { name, at: now(), duration_ms: durationMs, problem });
    if (problem === null) log.info({ backup: name, seconds: durationMs / 1000 }, 'a backup was proven');
    else log.error({ backup: name, problem }, 'a backup cannot be restored');
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#child?.kill();
    await this.#child?.exited;
  }

  async #run(name: string): Promise<Drill | undefined> {
    const { log, secret, settings } = this.#options;
    const order: DrillOrder = { name, settings, secret };
    const child = Bun.spawn(helperCommand(new URL('./drill.process.ts', import.meta.url)), {
      stdin: new Blob([JSON.stringify(order)]),
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: MAX_MS,
    });
    this.#child = child;
    const [output, errors, code] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ]);
    this.#child = undefined;
    if (code === 0) return JSON.parse(output) as Drill;
    if (!this.#isStopping)
      log.warn({ backup: name, code, errors: errors.slice(-2000) }, 'a drill ended early');
    return undefined;
  }
}
