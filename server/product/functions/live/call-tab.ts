import type { LiveCall, LiveCallRefusal } from '../../../../contract/functions/calls/live-calls.ts';
import { VISIT_HEADER } from '../../../../workers/protocol.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { createSemaphore } from '../../../lib/queues.ts';
import type { Limit } from '../../../platform/coordination/limits/index.ts';
import { type Caller, type EventStream, encodeEvent } from '../../../platform/http/index.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../../ports.ts';
import type { FunctionNames } from '../calls/names.ts';
import type { LiveFunction, Registry } from '../calls/registry.ts';
import type { WhoCalls } from '../calls/who-calls.ts';
import type { LiveCalls, Tab } from './live-calls.ts';
import type { SharedCall, SharedQuery } from './shared-call.ts';

/** The longest time that a timer can wait. */
const MAX_WAIT_MS = 2 ** 31 - 1;
/** Tabs that are checked at the same time: few, to leave the database to other requests. */
const CHECKS_AT_ONCE = 16;
const inTurns = createSemaphore(CHECKS_AT_ONCE, Number.POSITIVE_INFINITY);

export interface CallTabContext {
  db: Db;
  now: () => number;
  pages: PageDirectory;
  registry: Registry;
  names: FunctionNames;
  whoCalls: WhoCalls;
  liveCalls: LiveCalls;
  /** Limits the calls that an address begins. */
  callLimit: Limit;
}

/** Who reads: somebody who has a page open. */
export interface PageReader {
  pageId: number;
  caller: Caller;
  /** Whether the browser says that the page sent the request. */
  isSurePage: boolean;
  source: string;
}

interface Asked {
  id: string;
  slug: string;
  body: string;
  /** The hash of what the tab has. */
  known: string | undefined;
  isCounted: boolean;
  call?: SharedCall | undefined;
}

/** One stream with all live calls of a tab. */
export class CallTab implements Tab {
  readonly #asked = new Map<string, Asked>();
  /** How often the reader must still be checked. Nothing is sent meanwhile. */
  #checks = 0;
  #isStopped = false;
  #ending: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly context: CallTabContext,
    private readonly reader: PageReader,
    private readonly stream: EventStream,
  ) {}

  get pageId(): number {
    return this.reader.pageId;
  }

  get source(): string {
    return this.reader.source;
  }

  /** Follows calls. Returns a function that ends it. */
  start(calls: LiveCall[]): () => void {
    const { liveCalls } = this.context;
    for (const { id, function: slug, body = {}, known } of calls)
      this.#asked.set(id, { id, slug, body: JSON.stringify(body), known, isCounted: false });
    liveCalls.open(this);
    this.stream.send(encodeEvent({ name: 'open', data: {} }));
    this.recheck();
    return () => {
      this.#isStopped = true;
      clearTimeout(this.#ending);
      for (const asked of this.#asked.values()) this.#leave(asked);
      liveCalls.close(this);
    };
  }

  async identify(call: SharedCall): Promise<Record<string, string> | undefined> {
    const { registry } = this.context;
    const page = await this.#see();
    const found = await registry.byId(call.query.functionId);
    const who = page && found && (await this.#findHeaders(found, page));
    if (who && Bun.deepEquals(toRights(who), call.query.who)) return who;
    this.recheck();
    return undefined;
  }

  changed(call: SharedCall): void {
    for (const asked of this.#asked.values()) if (asked.call === call) this.#send(asked);
  }

  failed(call: SharedCall, error: AppError): void {
    for (const asked of [...this.#asked.values()]) if (asked.call === call) this.#refuse(asked, error);
  }

  recheck(): void {
    this.#checks++;
    // Another check goes on, and is repeated.
    if (this.#checks === 1) void this.#check();
  }

  async #check(): Promise<void> {
    while (this.#checks > 0 && !this.#isStopped) {
      const checks = this.#checks;
      const checkedAt = this.context.now();
      const isAdmitted = await inTurns(() => this.#settleAll(checkedAt), neverRefused).catch(() => false);
      if (this.#isStopped) return;
      // The tab opens another stream, and learns why that is refused.
      if (!isAdmitted) {
        this.stream.end();
        return;
      }
      this.#checks -= checks;
    }
    for (const asked of this.#asked.values()) this.#send(asked);
  }

  async #settleAll(checkedAt: number): Promise<boolean> {
    const page = this.#isStopped ? undefined : await this.#see();
    if (!page) return false;
    this.#awaitEnd(page, checkedAt);
    for (const asked of [...this.#asked.values()]) await this.#settle(asked, page);
    return true;
  }

  /** The page, if the reader can see it now. */
  async #see(): Promise<PageRow | undefined> {
    const { db, now, pages } = this.context;
    const { actor } = this.reader.caller;
    if (actor?.endsAt !== undefined && actor.endsAt <= now()) return undefined;
    const page = await pages.find(db, String(this.pageId));
    const isRefused = page && (await pages.refusal(db, page, this.reader.caller)) !== undefined;
    return isRefused ? undefined : page;
  }

  /** Follows a call with the rights that the reader has now. */
  async #settle(asked: Asked, page: PageRow): Promise<void> {
    const { names, liveCalls, callLimit } = this.context;
    try {
      if (!asked.isCounted) await callLimit.take(this.source);
      asked.isCounted = true;
      const found = await names.findFor(page, asked.slug);
      if (!found?.isPublic || found.block || found.ownerId === null)
        throw notFound('This function was not found.');
      const who = toRights(await this.#findHeaders(found, page));
      const query: SharedQuery = { functionId: found.id, ownerId: found.ownerId, body: asked.body, who };
      if (this.#isStopped || Bun.deepEquals(query, asked.call?.query)) return;
      this.#leave(asked);
      asked.call = liveCalls.join(query, this);
    } catch (error) {
      this.#refuse(asked, error);
    }
  }

  #findHeaders(found: LiveFunction, page: PageRow): Promise<Record<string, string>> {
    const { caller, isSurePage } = this.reader;
    return this.context.whoCalls.headersForVisitor(found, page, caller, isSurePage);
  }

  #send(asked: Asked): void {
    if (this.#isStopped || this.#checks > 0) return;
    const { id, known, call } = asked;
    const bytes = call?.eventFor(id, known);
    if (!bytes) return;
    asked.known = call?.state?.hash;
    this.stream.send(bytes);
  }

  #refuse(asked: Asked, error: unknown): void {
    this.#leave(asked);
    this.#asked.delete(asked.id);
    this.stream.send(encodeEvent({ data: toRefusal(asked.id, error) }));
  }

  #leave(asked: Asked): void {
    const { call } = asked;
    asked.call = undefined;
    const isElsewhere = [...this.#asked.values()].some((other) => other.call === call);
    if (call && !isElsewhere) this.context.liveCalls.leave(call, this);
  }

  /** Checks access again when it ends, because nobody publishes that moment. */
  #awaitEnd({ access_expires_at }: PageRow, checkedAt: number): void {
    clearTimeout(this.#ending);
    const ends = [access_expires_at, this.reader.caller.actor?.endsAt].filter((end) => end != null);
    const endsAt = Math.min(...ends);
    if (!Number.isFinite(endsAt) || endsAt <= checkedAt || this.#isStopped) return;
    const waitMs = Math.min(Math.max(endsAt - this.context.now(), 0), MAX_WAIT_MS);
    this.#ending = setTimeout(() => this.recheck(), waitMs);
  }
}

/** What a function can tell callers apart by. The rest lets it act for this visitor, for a short time. */
function toRights(who: Record<string, string>): Record<string, string> {
  const { [VISIT_HEADER]: _, ...rights } = who;
  return rights;
}

function toRefusal(id: string, error: unknown): LiveCallRefusal {
  const known = error instanceof AppError ? error : new AppError('UNAVAILABLE', 'Try again in a moment.');
  return { id, status: known.status, code: known.code, error: known.message };
}

function neverRefused(): Error {
  return new Error('any number can wait');
}
