import type { CreatePage } from '../../../contract/pages.ts';
import type { Broadcast } from '../../platform/coordination/events/index.ts';
import type { Actor, CookieJar, Log, Route, WhoIs } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { ChargeUsage, PageSessions } from '../accounts/index.ts';
import { createPage } from './create.ts';
import { type CopyToFork, type ForkChanges, forkPage } from './fork.ts';
import { type PagesContext, pageRoutes } from './routes.ts';
import { PageCache } from './serving/page-cache.ts';
import { createRenderer } from './serving/renderer.ts';
import { buildSdk, type Sdk } from './serving/sdk-bundle.ts';
import { createServing, type Serving } from './serving/serve.ts';
import { startViews } from './serving/views.ts';
import { findPage, findPageBySlug, type PageRow, setPreviewImage } from './store.ts';
import type { RemoveWithPage } from './update.ts';

/** Says what somebody is to a page, and whether they may see, read, write or delete it. */
export { requirePage, roleOf } from './access.ts';
/** Copies what belongs to a page to a fork of it. */
export type { CopyToFork } from './fork.ts';
/** Checks the size of a document. */
export { measureHtml } from './measure.ts';
/** Where a page's host asks for a ticket. */
export { TICKET_PATH } from './serving/entrance.ts';
/** The browser SDK as it is served, and where. */
export { SDK_PATH, type Sdk } from './serving/sdk-bundle.ts';
/** How published pages are answered. */
export type { Serving } from './serving/serve.ts';
/** A page's row, and how to hold it for a transaction. */
export { lockPage, type PageRow } from './store.ts';
/** Lets go of what belongs to a page that is deleted. */
export type { RemoveWithPage } from './update.ts';
/** The address of a page. */
export { pageUrl } from './wire.ts';

/** Pages: publishing, changing and serving them. */
export interface Pages {
  routes: Route[];
  serving: Serving;
  sdk: Sdk;
  /** Publishes a page in somebody's name. */
  create(actor: Actor, page: CreatePage): Promise<PageRow>;
  /** Makes somebody their own copy of a page. */
  fork(actor: Actor, id: number, changes: ForkChanges): Promise<PageRow>;
  /** Gives a page the picture that links to it show; `path` is where it is on this service. */
  setPreviewImage(pageId: number, path: string): Promise<void>;
  /** How the cache does, and how many views are not written yet. */
  status(): ReturnType<PageCache['status']> & { viewsPending: number };
  stop(): Promise<void>;
}

/** Finds a page where `:id` may be a slug: digits alone always mean the id. */
export async function findPageByIdOrSlug(db: Db, idOrSlug: string): Promise<PageRow | undefined> {
  if (!/^\d+$/.test(idOrSlug)) return findPageBySlug(db, idOrSlug);
  const id = Number(idOrSlug);
  return Number.isSafeInteger(id) ? findPage(db, id) : undefined;
}

export async function startPages(options: {
  db: Db;
  log: Log;
  now: () => number;
  cookies: CookieJar;
  whoIs: WhoIs;
  pageSessions: PageSessions;
  chargeUsage: ChargeUsage;
  /** What other slices keep with a page: copied to its forks, removed with it, told of its changes. */
  copies: CopyToFork[];
  removals: RemoveWithPage[];
  onChange(pageId: number): void;
  /** To and from the other nodes. */
  broadcast: Broadcast;
  config: { baseUrl: string; isolation: 'origin' | 'sandbox' | 'trusted'; pagesHost: string | undefined };
}): Promise<Pages> {
  const { db, log, now, cookies, broadcast, config } = options;
  const sdk = await buildSdk();
  const renderer = createRenderer({ db, baseUrl: config.baseUrl, sdkPath: sdk.pathOf });
  const cache = new PageCache({
    broadcast,
    render: renderer.render,
    readRow: (id) => findPage(db, id),
  });
  const views = startViews({ db, log });
  const serving = createServing({ ...options, ...config, cache, sdk, views });
  const context: PagesContext = {
    db,
    now,
    baseUrl: config.baseUrl,
    cookies,
    pageSessions: options.pageSessions,
    chargeUsage: options.chargeUsage,
    views,
    copies: options.copies,
    removals: options.removals,
    changed(pageId) {
      cache.drop(pageId);
      broadcast.publish('page', pageId);
      options.onChange(pageId);
    },
    findPageByIdOrSlug: (idOrSlug) => findPageByIdOrSlug(db, idOrSlug),
  };
  return {
    routes: pageRoutes(context),
    serving,
    sdk,
    create: (actor, page) => createPage(context, actor, page),
    fork: (actor, id, changes) => forkPage(context, actor, id, changes),
    async setPreviewImage(pageId, path) {
      await setPreviewImage(db, pageId, path, now());
      context.changed(pageId);
    },
    status: () => ({ ...cache.status(), viewsPending: views.allPending() }),
    async stop() {
      renderer.stop();
      await views.stop();
    },
  };
}
