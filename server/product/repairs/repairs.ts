import { branchEndpoints } from '../../../contract/pages/branches/branch-endpoints.ts';
import {
  MAX_REPAIRS_LISTED,
  REPAIR_MINUTES,
  REPAIRS_PER_DAY,
  type RepairOutcome,
} from '../../../contract/repairs/kinds.ts';
import type { Repair, RepairList, StartRepair } from '../../../contract/repairs/repairs.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { type Actor, requireApi } from '../../platform/http/index.ts';
import type { PageRow, RepairRow } from '../../platform/storage/index.ts';
import type { RepairCaller, RepairsContext } from './context.ts';
import { readReport, toReason, toRepair } from './report.ts';
import { closeBranch, type Job, repair } from './run.ts';
import { type Admitted, admitRepair, DAY_MS, LEASE_MS } from './start.ts';
import {
  claimRepair,
  countSince,
  deleteBefore,
  deleteRepair,
  findRepair,
  listRepairs,
  listUnfinished,
  renewRepair,
  stopRepair,
  updateRepair,
} from './store.ts';

/** How often a repair says that it is under way, and learns that somebody has stopped it. */
const RENEW_MS = 3_000;
const KEPT_MS = 30 * DAY_MS;
/** Announces to other nodes which repair was stopped. */
const STOPPED = 'repair stopped';
/** Outcomes after which there is nothing to look at. A failed repair keeps what it has changed. */
const WITHOUT_BRANCH: ReadonlySet<RepairOutcome> = new Set([
  'not_reproduced',
  'unchanged',
  'cancelled',
  'lost',
]);

const tookTooLong = () =>
  new AppError('UNAVAILABLE', 'It took longer than {minutes} minutes.', { minutes: String(REPAIR_MINUTES) });

/** Somebody has stopped the repair. */
class Cancelled extends Error {}

interface Running {
  abort: AbortController;
  ended: Promise<void>;
}

/**
 * Repairs of errors on branches. A repair that its node cannot finish, because it was killed, has failed: the next start
 * ends it and removes its branch.
 */
export class Repairs {
  readonly #options: Omit<RepairsContext, 'service'>;
  readonly #running = new Map<string, Running>();
  #service: RepairsContext['service'] | undefined;
  #isStopping = false;

  constructor(options: Omit<RepairsContext, 'service'>) {
    this.#options = options;
    options.broadcast.subscribe(STOPPED, (id) => this.#abort(String(id)));
  }

  /** Sets the API, which is known only when all routes are. Ends repairs that a killed process has left. */
  async connect(service: RepairsContext['service']): Promise<void> {
    this.#service = service;
    await this.look({ isOnlyNode: this.#options.broadcast.isSingleNode });
  }

  async start(
    caller: RepairCaller,
    order: StartRepair & { id: string; fingerprint: string },
  ): Promise<Repair> {
    const context = this.#context();
    const admitted = await admitRepair(context, caller, order);
    const { row, main } = admitted;
    try {
      const exchange = { caller, signal: AbortSignal.timeout(LEASE_MS) };
      const body = { name: row.branch, data: row.data };
      const branch = await requireApi(context, exchange, branchEndpoints.createBranch, {
        params: { id: main.id },
        body,
      });
      const report = { ...readReport(row), slug: branch.page.slug };
      const changes = { branch_page_id: branch.page.id, report: JSON.stringify(report) };
      await updateRepair(context.db, row.id, changes);
      Object.assign(row, changes);
      this.#begin(context, admitted, { caller, branch });
      return toRepair(row, context.baseUrl);
    } catch (error) {
      // Nothing has begun, so it does not count.
      await this.#removeBranch(row).catch(() => undefined);
      await deleteRepair(context.db, row.id);
      throw error;
    }
  }

  async list(actor: Actor, id: number): Promise<RepairList> {
    const { db, now, baseUrl, builder } = this.#options;
    const page = await this.#require(actor, id);
    const rows = await listRepairs(db, page.id, MAX_REPAIRS_LISTED);
    return {
      repairs: rows.map((row) => toRepair(row, baseUrl)),
      enabled: page.repair === 1,
      problem: builder.findProblem() ?? null,
      left: Math.max(0, REPAIRS_PER_DAY - (await countSince(db, page.id, now() - DAY_MS))),
    };
  }

  async get(actor: Actor, { id, repair: name }: { id: number; repair: string }): Promise<Repair> {
    return toRepair(await this.#find(actor, id, name), this.#options.baseUrl);
  }

  async cancel(actor: Actor, { id, repair: name }: { id: number; repair: string }): Promise<void> {
    const { db, broadcast } = this.#options;
    const row = await this.#find(actor, id, name);
    if (!(await stopRepair(db, row.id))) throw new AppError('CONFLICT', 'This repair has ended already.');
    const own = this.#running.get(row.id);
    this.#abort(row.id);
    await own?.ended;
    if (!own) broadcast.publish(STOPPED, row.id);
  }

  /** Ends repairs whose node was lost. */
  async look({ isOnlyNode = false } = {}): Promise<void> {
    const { db, now, log } = this.#options;
    try {
      for (const row of await listUnfinished(db)) {
        if (this.#running.has(row.id) || (!isOnlyNode && row.claimed_until > now())) continue;
        if (await claimRepair(db, row, now() + LEASE_MS))
          await this.#end(row, row.state === 'stopping' ? 'cancelled' : 'lost');
      }
    } catch (error) {
      log.warn({ err: error }, 'lost repairs could not be ended');
    }
  }

  purge(): Promise<void> {
    return deleteBefore(this.#options.db, this.#options.now() - KEPT_MS);
  }

  /** Ends all as lost, so that nothing is half done. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const { abort } of this.#running.values()) abort.abort(new Cancelled());
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  #context(): RepairsContext {
    if (!this.#service) throw new Error('repairs are not connected');
    return { ...this.#options, service: this.#service };
  }

  #abort(id: string): void {
    this.#running.get(id)?.abort.abort(new Cancelled());
  }

  /** Only the owner: a repair shows the code of functions, and what they threw. */
  async #require(actor: Actor, id: number): Promise<PageRow> {
    const { db, pages } = this.#options;
    return pages.require(db, await pages.find(db, String(id)), actor, 'own');
  }

  async #find(actor: Actor, id: number, name: string): Promise<RepairRow> {
    const page = await this.#require(actor, id);
    const row = await findRepair(this.#options.db, page.id, name);
    if (!row) throw notFound('This repair was not found.');
    return row;
  }

  #begin(
    context: RepairsContext,
    { row, main, error }: Admitted,
    given: Pick<Job, 'caller' | 'branch'>,
  ): void {
    const { db, now, log } = context;
    const abort = new AbortController();
    const report = readReport(row);
    const job: Job = {
      ...{ ...given, main, error, report },
      signal: AbortSignal.any([abort.signal, AbortSignal.timeout(REPAIR_MINUTES * 60_000)]),
      save: () => updateRepair(db, row.id, { report: JSON.stringify(report) }),
    };
    const renewing = setInterval(() => {
      renewRepair(db, row.id, now() + LEASE_MS).then(
        (isRunning) => isRunning || abort.abort(new Cancelled()),
        (err: unknown) => log.warn({ err }, 'a repair could not say that it is under way'),
      );
    }, RENEW_MS);
    const ended = this.#follow(context, row, job)
      .catch((err: unknown) => log.error({ err }, 'a repair could not be ended'))
      .finally(() => {
        clearInterval(renewing);
        this.#running.delete(row.id);
      });
    this.#running.set(row.id, { abort, ended });
  }

  async #follow(context: RepairsContext, row: RepairRow, job: Job): Promise<void> {
    const { report, signal } = job;
    const outcome = await repair(context, job).catch((error: unknown): RepairOutcome => {
      if (signal.reason instanceof Cancelled) return this.#isStopping ? 'lost' : 'cancelled';
      if (!(error instanceof AppError) && !signal.aborted)
        context.log.error({ err: error }, 'a repair broke off');
      const isLate = signal.reason?.name === 'TimeoutError';
      report.reason = toReason(isLate ? tookTooLong() : error);
      return 'failed';
    });
    await this.#end({ ...row, report: JSON.stringify(report) }, outcome, job);
  }

  /** Ends a repair. A branch that nobody needs to look at is removed, and one that was opened is closed. */
  async #end(row: RepairRow, outcome: RepairOutcome, job?: Job): Promise<void> {
    const { db, now, log } = this.#options;
    const report = { ...readReport(row), outcome };
    const isKept = !WITHOUT_BRANCH.has(outcome) && report.evidence.changes.length > 0 && job !== undefined;
    const isClosed =
      isKept &&
      (await Promise.resolve(closeBranch(this.#context(), job)).then(
        () => true,
        (err: unknown) => log.warn({ err }, 'the branch of a repair could not be closed') ?? false,
      ));
    if (!isClosed) await this.#removeBranch(row);
    const state = {
      ...({ state: 'ended', ended_at: now(), report: JSON.stringify(report) } as const),
      ...(!isClosed && { branch_page_id: null }),
    };
    await updateRepair(db, row.id, state);
  }

  async #removeBranch(row: RepairRow): Promise<void> {
    const id = row.branch_page_id ?? (await this.#options.findBranch(row.page_id, row.branch));
    if (id !== undefined) await this.#options.removeBranch(id);
  }
}
