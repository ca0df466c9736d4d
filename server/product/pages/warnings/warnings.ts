import { translatable } from '../../../../contract/errors.ts';
import type { PageWarning } from '../../../../contract/pages/warnings.ts';
import { isFunctionSlug } from '../../../../contract/rules/function-names.ts';
import { phrase } from '../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../lib/errors.ts';
import { createFairQueue } from '../../../lib/fair-queue.ts';
import { createThreads, type Threads } from '../../../lib/threads.ts';
import { within } from '../../../lib/time-limits/within.ts';
import type { Log } from '../../../platform/http/index.ts';
import type { Manifest } from '../files/manifest.ts';
import { readRules } from '../serving/rules/site-rules.ts';
import { describe, quote, sayAstray, toFileName } from './describe.ts';
import type { Finding } from './document.ts';
import { chooseReadable, findFile } from './files.ts';

export interface ReadRequest {
  html: string;
  baseUrl: string;
  /** Whether it is a script file instead of a document. */
  isScript?: boolean;
}
export interface ReadReply {
  found: Finding[];
}

/** Whether visitors of a page can call each of these functions, as far as this user may know. */
export type FunctionsKnownTo = (
  userId: number,
  slugs: string[],
  pageId: number,
) => Promise<Map<string, 'public' | 'private'>>;

/** The deadline of reading a document: a parser can be made to take very long. */
const READ_MS = 4_000;
/** The deadline with the time that a document waits for its turn. */
const TOTAL_MS = 6_000;
/** How long files beside the document are read, so that nobody waits for them. */
const FILES_MS = 1_000;
const MAX_WAITING = 100;
const MAX_RULE_WARNINGS = 20;
/** The most warnings about the files of a site. */
const MAX_FILE_WARNINGS = 50;
/** A document without any of these has nothing to warn about. Long documents are not searched here. */
const MAY_HAVE_MISTAKES = /<script|<style|(src|href|poster|action|data|srcset)\s*=/i;
const SHORT_LETTERS = 64 * 1024;

const NOT_CHECKED: PageWarning = {
  code: 'NOT_CHECKED',
  ...translatable('The page was not checked for mistakes, because that took too long. It is saved.'),
};

/** A file of the site that warnings are about. */
interface About {
  path: string;
  isScript: boolean;
}

/** The files of a document, if they are not those of its page. */
interface OtherFiles {
  read(): Promise<Manifest>;
  /** The API path where a file is added, for messages. */
  path: string;
}

interface WarningsOptions {
  log: Log;
  baseUrl: string;
  functionsKnownTo: FunctionsKnownTo;
  /** The files of a page as it is now. */
  readFiles(pageId: number): Promise<Manifest>;
  /** Reads a small file of a page as text, by its hash. */
  readText(hash: string): Promise<string | undefined>;
  /** Whether pages have hosts of their own, where `/style.css` is a file of the page. */
  hasOwnHosts: boolean;
  /** The deadline of reading a document, if not the default. */
  readMs?: number;
}

/** Finds mistakes in documents that browsers would only show in their console. */
export class Warnings {
  readonly #options: WarningsOptions;
  readonly #threads: Threads<ReadRequest, ReadReply>;
  /** One at a time: this is a help, and must not compete with the serving of pages. */
  readonly #takeTurn = createFairQueue({
    width: 1,
    maxWaiting: MAX_WAITING,
    refused: () => new AppError('UNAVAILABLE', 'Too many pages are being checked. Try again in a moment.'),
  });

  constructor(options: WarningsOptions) {
    this.#options = options;
    this.#threads = createThreads(() => new Worker(new URL('./document.worker.ts', import.meta.url)), {
      deadlineMs: options.readMs ?? READ_MS,
    });
  }

  /**
   * The warnings about the document of a page that this user has saved. Never fails: the document is saved whatever
   * comes out.
   */
  async find(html: string, userId: number, pageId: number, other?: OtherFiles): Promise<PageWarning[]> {
    const { baseUrl } = this.#options;
    if (html.length < SHORT_LETTERS && !MAY_HAVE_MISTAKES.test(html)) return [];
    const place = other ?? this.#ownFiles(pageId);
    return this.#quietly(userId, async () => {
      const [found = []] = await this.#read([{ html, baseUrl }], userId);
      return this.#describe(found, { userId, pageId }, place);
    });
  }

  /** The warnings about documents and scripts beside the page, as many as can be read quickly. Never fails. */
  async findInFiles(
    changed: Manifest,
    userId: number,
    pageId: number,
    other?: OtherFiles,
  ): Promise<PageWarning[]> {
    const { baseUrl, readText } = this.#options;
    const chosen = chooseReadable(changed);
    if (chosen.length === 0) return [];
    const place = other ?? this.#ownFiles(pageId);
    return this.#quietly(userId, async () => {
      const requests: ReadRequest[] = [];
      for (const { hash, isScript } of chosen)
        requests.push({ html: (await readText(hash)) ?? '', isScript, baseUrl });
      const warnings: PageWarning[] = [];
      for (const [index, found] of (await this.#read(requests, userId)).entries())
        warnings.push(...(await this.#describe(found, { userId, pageId }, place, chosen[index])));
      return warnings.slice(0, MAX_FILE_WARNINGS);
    });
  }

  /** The lines of `_redirects` and `_headers` that do not apply. */
  async findInRules(pageId: number): Promise<PageWarning[]> {
    const { readFiles, readText } = this.#options;
    const { faults = [] } = (await readRules(await readFiles(pageId), readText)) ?? {};
    return faults.slice(0, MAX_RULE_WARNINGS).map(({ file, line, reason }) => ({
      code: 'SITE_RULE',
      ...translatable('{file}, line {line}: {reason}', { file, line: String(line), reason }),
      line,
    }));
  }

  stop(): void {
    this.#threads.stop();
  }

  #ownFiles(pageId: number): OtherFiles {
    return { read: () => this.#options.readFiles(pageId), path: `/api/pages/${pageId}/files` };
  }

  /** What was saved is saved, whatever comes out. */
  async #quietly(userId: number, work: () => Promise<PageWarning[]>): Promise<PageWarning[]> {
    try {
      return await work();
    } catch (error) {
      this.#options.log.warn({ err: error, user: userId }, 'a saved page was not checked');
      return [NOT_CHECKED];
    }
  }

  /** Reads texts in a thread, in one turn: the first, and as many others as there is time for. */
  #read(requests: ReadRequest[], userId: number): Promise<Finding[][]> {
    const failure = phrase('A page was not checked');
    let isLate = false;
    const late = () => {
      isLate = true;
      return new Error(`${failure.text}: it waited too long for its turn`);
    };
    const reading = this.#takeTurn(String(userId), async () => {
      const all: Finding[][] = [];
      const endsAt = performance.now() + FILES_MS;
      for (const request of requests) {
        if (isLate || (all.length > 0 && performance.now() > endsAt)) break;
        all.push((await this.#threads.ask(request, { failure })).found);
      }
      return all;
    });
    return within(TOTAL_MS, reading, late);
  }

  async #describe(
    found: Finding[],
    { userId, pageId }: { userId: number; pageId: number },
    place: OtherFiles,
    about?: About,
  ): Promise<PageWarning[]> {
    // A page can contain anything as a slug; only these can exist.
    const slugs = new Set(
      found.flatMap((each) => (each.kind === 'call' && isFunctionSlug(each.slug) ? [each.slug] : [])),
    );
    const known =
      slugs.size > 0 ? await this.#options.functionsKnownTo(userId, [...slugs], pageId) : new Map();
    const needsFiles = found.some(({ kind }) => kind === 'file');
    const files = needsFiles ? await place.read() : undefined;
    const astray = found.filter((each) => each.kind === 'file' && this.#leadsToService(each.path, files));
    return found.flatMap((each) => {
      // A build writes all its addresses in the same way: one warning is enough.
      if (astray.length > 1 && astray.includes(each) && each !== astray[0]) return [];
      const described =
        each.kind === 'file'
          ? this.#describeFile(each, { ...place, about, files, astray: astray.length })
          : describe(each, known);
      if (!described) return [];
      return [{ ...described, ...(about && { file: about.path }), line: each.line, column: each.column }];
    });
  }

  /** Whether an address means a file of the page, but leads to the service where pages have no hosts of their own. */
  #leadsToService(address: string, files: Manifest = new Map()): boolean {
    return !this.#options.hasOwnHosts && address.startsWith('/') && findFile(files, address).isThere;
  }

  #describeFile(
    { path: address, isImport }: Extract<Finding, { kind: 'file' }>,
    given: { path: string; about: About | undefined; files: Manifest | undefined; astray: number },
  ): Omit<PageWarning, 'line' | 'column'> | undefined {
    const { path: folder, about, files = new Map(), astray } = given;
    const beside = about ? about.path.slice(0, about.path.lastIndexOf('/') + 1) : '';
    const { path, isThere } = findFile(files, address, beside);
    if (isThere && (this.#options.hasOwnHosts || !address.startsWith('/'))) return undefined;
    // A script does not know which document loads it. Most are at the root.
    if (about?.isScript && !isImport && findFile(files, address).isThere) return undefined;
    const name = quote(address);
    return {
      code: 'MISSING_FILE',
      ...(isThere
        ? sayAstray(name, astray)
        : translatable('The page has no file {name}. Add it with PUT {folder}/{path}, or use a whole URL.', {
            name,
            folder,
            path: quote(path === undefined ? '<path>' : toFileName(path)),
          })),
    };
  }
}
