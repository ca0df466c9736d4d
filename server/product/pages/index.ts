import type { CreatePage } from '../../../contract/pages/pages.ts';
import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { Broadcast } from '../../platform/coordination/events/index.ts';
import type { Actor, Log, Route, SignedInCaller, WhoIs } from '../../platform/http/index.ts';
import type { Db, PageRow, Storage } from '../../platform/storage/index.ts';
import type { PageHistory } from '../moment-ports.ts';
import type { MomentKeeper } from '../ports.ts';
import { PreviewLinks } from './access/preview-links.ts';
import { PageAdministration } from './administration/administration.ts';
import { purgeUnclaimed } from './anonymous/purge.ts';
import { createPageBranches, type PageBranches } from './branches/page-branches.ts';
import { createDomains, type Domains, type DomainsOptions } from './domains/index.ts';
import { makePreviewUrl } from './drafts/find.ts';
import { createPage } from './editing/create.ts';
import { type ForkChanges, forkPage } from './editing/fork.ts';
import { readTexts } from './files/called-functions.ts';
import { PageFiles } from './files/page-files.ts';
import { readManifest } from './files/store.ts';
import { Uploads } from './files/uploads/uploads.ts';
import { Gallery } from './gallery/gallery.ts';
import { createPageHistory } from './history/page-history.ts';
import { purgeOldSlugs } from './model/old-slug-store.ts';
import { findPage, findServed, setPreviewImage } from './model/page-store.ts';
import { PictureFollower, type ReadPublicRecords } from './pictures/follower.ts';
import { chooseOpening } from './pictures/opening.ts';
import { createPhotograph } from './pictures/photograph.ts';
import { Photographer, type PhotographerOptions } from './pictures/photographer.ts';
import { PageLeaving } from './privacy/leaving.ts';
import { pageRoutes, type RoutesContext } from './routes.ts';
import { SiteFiles } from './serving/files/site-files.ts';
import { PageCache } from './serving/page-cache.ts';
import { Previews } from './serving/previews/previews.ts';
import { Renderer } from './serving/render/renderer.ts';
import { buildSdk, type Sdk } from './serving/sdk-bundle.ts';
import { Serving, type ServingOptions } from './serving/serve.ts';
import { Views } from './serving/views.ts';
import { type FunctionsKnownTo, Warnings } from './warnings/warnings.ts';

/** Keeps programs from changing pages that are protected from them. */
export { Protection } from './access/protection.ts';
/** Renames a person on the lists of pages. */
export { renamePerson } from './access/rename.ts';
/** Finds the page that a host belongs to. */
export type { DomainTable } from './domains/table.ts';
/** The functions that a page offers to agents. */
export { findAgentFunctions } from './editing/agent-function-store.ts';
/** Finds the functions that a page calls. */
export { calledFunctions } from './editing/called-functions.ts';
/** The files of one version of a page. */
export type { FileEntry, Manifest } from './files/manifest.ts';
/** Pages of the gallery, as people see them. */
export { GALLERY_STYLES, galleryCards } from './gallery/cards.ts';
/** Whether everyone can see a page. */
export { isOpen } from './model/access-policy.ts';
/** Finds pages, and decides who can see, read, write or delete one. */
export { PageDirectory } from './model/directory.ts';
/** Checks the size of a document. */
export { measureHtml } from './model/measure-html.ts';
/** The error for somebody who cannot see a page. */
export { PageClosed } from './model/page-closed.ts';
/** A page with its current document, its branches, and what the home screen shows of an owner's pages. */
export { findDocument, listBranches, listForHome } from './model/page-store.ts';
/** Proofs that visitors gave the password of a page. */
export { Passes } from './model/passes.ts';
/** What pages store, and their names. */
export { measurePages } from './own/measure.ts';
export { listNamed } from './own/store.ts';
/** Removes a user from the lists of people who can see pages. */
export { ownsPages, removeNames } from './privacy/people.ts';
/** The path where a page's host requests a ticket. */
export { TICKET_PATH } from './serving/entrance.ts';
/** The browser SDK as it is served, and its paths. */
export { SDK_PATH, type Sdk } from './serving/sdk-bundle.ts';
/** Serves published pages. */
export type { Serving } from './serving/serve.ts';

/** Pages: publishing, changing and serving them. */
export interface Pages {
  routes: Route[];
  serving: Serving;
  sdk: Sdk;
  domains: Pick<Domains, 'table' | 'recheck'>;
  /** Publishes a page for a user. */
  create(actor: Actor, page: Omit<CreatePage, 'access'>): Promise<PageRow>;
  /** Copies a page for a user. */
  fork(caller: SignedInCaller, id: number, changes: ForkChanges): Promise<PageRow>;
  gallery: Pick<Gallery, 'list'>;
  /** The address of a draft of a page, for a user who can work on it. */
  makePreviewUrl(page: PageRow, draft: number, actor: Actor): Promise<string>;
  /** The texts of a page that its author wrote, by their paths. */
  readTexts(page: Pick<PageRow, 'id'>): Promise<Map<string, string>>;
  /** Sets the image that links to a page show; `path` is its path on this service. */
  setPreviewImage(pageId: number, path: string): Promise<void>;
  /** What a page looks like for everyone now, as WebP. Undefined if not everyone sees it, or without a browser. */
  photograph(pageId: number, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** The pages, as administrators see and change them. */
  administration: PageAdministration;
  /** Pages at a time, for moments. */
  history: PageHistory;
  /** The pages of branches. */
  branches: PageBranches;
  /** Exports and removes the pages of users whose account is deleted. */
  leaving: PageLeaving;
  /** The state of the cache, and the number of views that are not written yet. */
  status(): ReturnType<PageCache['status']> & { viewsPending: number };
  /** Frees slugs that pages left more than a year ago, and removes pages that nobody claimed in time. */
  purge(isStopping: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

/** The dependencies from other slices that are passed on unchanged. */
type FromOthers = Pick<
  RoutesContext,
  | 'cookies'
  | 'pageSessions'
  | 'chargeUsage'
  | 'mail'
  | 'passwords'
  | 'copies'
  | 'removals'
  | 'empty'
  | 'removeParts'
  | 'attacks'
  | 'describeBranch'
  | 'findPublicFunctions'
  | 'functions'
  | 'readDataAccess'
  | 'listMemberships'
  | 'findAnonymousOwner'
  | 'registration'
  | 'countRecentViews'
>;

interface PagesOptions extends DomainsOptions, FromOthers {
  db: Db;
  storage: Pick<Storage, 'search' | 'slowDb'>;
  kept: KeptBlobs;
  log: Log;
  now: () => number;
  whoIs: WhoIs;
  functionsKnownTo: FunctionsKnownTo;
  /** The account that owns what people try; undefined if nobody has tried anything yet. */
  peekTrialOwner(): Promise<number | undefined>;
  /** Describes a page for agents, as text. */
  describe(page: PageRow): Promise<string>;
  /** Called when a browser has loaded a document of a page. */
  loaded: ServingOptions['loaded'];
  /** Called when a page has changed. */
  onChange(pageId: number): void;
  moments: MomentKeeper;
  /** Messages to and from the other nodes. */
  broadcast: Broadcast;
  browser: PhotographerOptions['browser'];
  readPublicRecords: ReadPublicRecords;
  config: DomainsOptions['config'] & {
    dataFolder: string;
    isolation: 'origin' | 'sandbox' | 'trusted';
    pagesHost: string | undefined;
    /** Whether the service takes pictures of pages. */
    pagePictures: boolean;
    /** Whether people without an account can publish pages. */
    anonymousPages: boolean;
  };
}

export async function startPages(options: PagesOptions): Promise<Pages> {
  const { db, log, now, broadcast, config } = options;
  const sdk = await buildSdk();
  const files = new PageFiles(options);
  const gallery = new Gallery({ ...options, baseUrl: config.baseUrl });
  const { renderer, cache, siteFiles } = createMemory(options, sdk, files, gallery);
  const views = new Views({ db, log });
  const warnings = createWarnings(options, files);
  const uploads = new Uploads(config);
  const changed = (pageId: number) => {
    cache.drop(pageId);
    gallery.forget();
    pictures.want(pageId);
    broadcast.publish('page', pageId);
    options.onChange(pageId);
    options.moments.noteChange(pageId);
  };
  const domains = createDomains(options, changed);
  const { passes } = options.directory;
  const previews = new Previews({ ...options, passes, files, renderer, isolation: config.isolation });
  const parts = { domains: domains.table, files: siteFiles, cache, sdk, views, previews };
  const serving = createServing(options, parts);
  const { pictures, photograph, stopPictures } = startPictures(options, serving, { cache, gallery });
  const context: RoutesContext = {
    ...options,
    files,
    uploads,
    previewLinks: new PreviewLinks({ ...config, passes }),
    baseUrl: config.baseUrl,
    views,
    warnings,
    gallery,
    pictures,
    domains: domains.table,
    changed,
  };
  return {
    routes: [...pageRoutes(context), ...domains.routes],
    domains,
    serving,
    sdk,
    create: (actor, page) => createPage(context, actor, page, ''),
    fork: (caller, id, changes) => forkPage(context, caller, id, changes),
    gallery,
    ...{ readTexts: (page) => readTexts(context, page), leaving: new PageLeaving(context) },
    makePreviewUrl: (page, draft, actor) => makePreviewUrl(context, page, draft, actor),
    setPreviewImage: (pageId, path) => setPreviewImage(db, pageId, path, now()).then(() => changed(pageId)),
    administration: new PageAdministration({ ...options, baseUrl: config.baseUrl, views, changed }),
    ...{ history: createPageHistory(context), branches: createPageBranches(context), photograph },
    status: () => ({ ...cache.status(), viewsPending: views.allPending() }),
    purge: (isStopping) => purge(context, isStopping),
    async stop() {
      renderer.stop();
      warnings.stop();
      uploads.stop();
      await stopPictures();
      await views.stop();
    },
  };
}

async function purge(context: RoutesContext, isStopping: () => boolean): Promise<void> {
  await purgeOldSlugs(context.db, context.now());
  await purgeUnclaimed(context, isStopping);
}

function createServing(
  { config, ...options }: PagesOptions,
  parts: Pick<ServingOptions, 'domains' | 'files' | 'cache' | 'sdk' | 'views' | 'previews'>,
): Serving {
  const { db } = options;
  return new Serving({
    ...options,
    ...config,
    ...parts,
    async describe(id) {
      const page = await findPage(db, id);
      return page ? options.describe(page) : '';
    },
  });
}

/** Starts what photographs pages, and what looks for outdated pictures. */
function startPictures(
  options: PagesOptions,
  serving: Serving,
  { cache, gallery }: { cache: PageCache; gallery: Gallery },
) {
  const { broadcast, config, storage } = options;
  const pictures = new Photographer({
    ...options,
    isOn: config.pagePictures,
    opening: (page) => chooseOpening({ ...config, serving }, page),
    onPicture(pageId) {
      // Links to the page show the picture.
      cache.drop(pageId);
      gallery.forget();
      broadcast.publish('page', pageId);
    },
  });
  const follower = config.pagePictures
    ? new PictureFollower({
        ...options,
        slowDb: storage.slowDb,
        takeAgain: (page) => pictures.takeAgain(page),
      })
    : undefined;
  const stopPictures = async () => {
    await follower?.stop();
    await pictures.stop();
  };
  const photograph = createPhotograph({
    ...options,
    isOn: config.pagePictures,
    openingOptions: { ...config, serving },
  });
  return { pictures, photograph, stopPictures };
}

/** Creates the caches for serving pages. */
function createMemory(
  { db, broadcast, config }: PagesOptions,
  sdk: Sdk,
  files: PageFiles,
  gallery: Pick<Gallery, 'forget'>,
) {
  const renderer = new Renderer({
    db,
    baseUrl: config.baseUrl,
    sdkPath: sdk.findPath,
    readText: (hash) => files.readText(hash),
  });
  const cache = new PageCache({
    broadcast,
    render: renderer.render.bind(renderer),
    readRow: (id) => findPage(db, id),
    onChangeElsewhere: () => gallery.forget(),
  });
  return { renderer, cache, siteFiles: new SiteFiles({ files, renderer }) };
}

function createWarnings({ config, ...options }: PagesOptions, files: PageFiles): Warnings {
  const { db } = options;
  return new Warnings({
    ...options,
    baseUrl: config.baseUrl,
    hasOwnHosts: config.isolation === 'origin',
    readText: (hash) => files.readText(hash),
    async readFiles(pageId) {
      const page = await findServed(db, pageId, 0);
      return readManifest(db, page?.manifest_id ?? null);
    },
  });
}
