import { translatable } from '../../../../contract/errors.ts';
import type { PageWarning } from '../../../../contract/pages/warnings.ts';
import { isFunctionSlug } from '../../../../contract/rules/function-names.ts';
import { phrase } from '../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../lib/errors.ts';
import { createFairQueue } from '../../../lib/fair-queue.ts';
import { createThreads, type Threads } from '../../../lib/threads.ts';
import { within } from '../../../lib/within.ts';
import type { Log } from '../../../platform/http/index.ts';
import type { Manifest } from '../files/manifest.ts';
import { readRules } from '../serving/rules/site-rules.ts';
import type { Finding } from './document.ts';
import { findFile } from './files.ts';

export interface ReadRequest {
  html: string;
  baseUrl: string;
}
export interface ReadReply {
  found: Finding[];
}

/** Whether visitors of a page can call each of these functions, as far as this user may know. */
export type FunctionsKnownTo = (
  userId: number,
  slugs: string[],
) => Promise<Map<string, 'public' | 'private'>>;

/** The deadline of reading a document: a parser can be made to take very long. */
const READ_MS = 4_000;
/** The deadline with the time that a document waits for its turn. */
const TOTAL_MS = 6_000;
const MAX_WAITING = 100;
const MAX_RULE_WARNINGS = 20;
/** A document without any of these has nothing to warn about. Long documents are not searched here. */
const MAY_HAVE_MISTAKES = /<script|<style|(src|href|poster|action|data|srcset)\s*=/i;
const SHORT_LETTERS = 64 * 1024;
/** Characters of a quote from a page. */
const MAX_QUOTED = 120;

const NOT_CHECKED: PageWarning = {
  code: 'NOT_CHECKED',
  ...translatable('The page was not checked for mistakes, because that took too long. It is saved.'),
};

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
    const { log, baseUrl } = this.#options;
    if (html.length < SHORT_LETTERS && !MAY_HAVE_MISTAKES.test(html)) return [];
    try {
      const failure = phrase('A page was not checked');
      let isLate = false;
      const late = () => {
        isLate = true;
        return new Error(`${failure.text}: it waited too long for its turn`);
      };
      const reading = this.#takeTurn(String(userId), async () =>
        isLate ? { found: [] } : this.#threads.ask({ html, baseUrl }, { failure }),
      );
      const { found } = await within(TOTAL_MS, reading, late);
      const own = { read: () => this.#options.readFiles(pageId), path: `/api/pages/${pageId}/files` };
      return await this.#describe(found, userId, other ?? own);
    } catch (error) {
      log.warn({ err: error, user: userId }, 'a saved page was not checked');
      return [NOT_CHECKED];
    }
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

  async #describe(found: Finding[], userId: number, place: OtherFiles): Promise<PageWarning[]> {
    // A page can contain anything as a slug; only these can exist.
    const slugs = new Set(
      found.flatMap((each) => (each.kind === 'call' && isFunctionSlug(each.slug) ? [each.slug] : [])),
    );
    const known = slugs.size > 0 ? await this.#options.functionsKnownTo(userId, [...slugs]) : new Map();
    const needsFiles = found.some(({ kind }) => kind === 'file');
    const files = needsFiles ? await place.read() : undefined;
    const astray = found.filter((each) => each.kind === 'file' && this.#leadsToService(each.path, files));
    return found.flatMap((each) => {
      // A build writes all its addresses in the same way: one warning is enough.
      if (astray.length > 1 && astray.includes(each) && each !== astray[0]) return [];
      const described =
        each.kind === 'file'
          ? this.#describeFile(each.path, place.path, files, astray.length)
          : describe(each, known);
      return described ? [{ ...described, line: each.line, column: each.column }] : [];
    });
  }

  /** Whether an address means a file of the page, but leads to the service where pages have no hosts of their own. */
  #leadsToService(address: string, files: Manifest = new Map()): boolean {
    return !this.#options.hasOwnHosts && address.startsWith('/') && findFile(files, address).isThere;
  }

  #describeFile(
    address: string,
    folder: string,
    files: Manifest = new Map(),
    astray = 0,
  ): Omit<PageWarning, 'line' | 'column'> | undefined {
    const { path, isThere } = findFile(files, address);
    if (isThere && (this.#options.hasOwnHosts || !address.startsWith('/'))) return undefined;
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

/** The file that an address such as `about` can lead to: it is served without its ending. */
const toFileName = (path: string) =>
  /(?:^|\/)[^/.]+$/.test(path) ? `${path}.html` : path.replace(/\/$/, '/index.html');

function sayAstray(name: string, count: number) {
  if (count < 2)
    return translatable(
      '{name} leads to the service, not to the file of the page. Write it without the slash at its start.',
      { name },
    );
  return translatable(
    '{count} addresses such as {name} lead to the service, not to files of the page. Build it with a relative base (with Vite: base: "./") or for the path of the page (base: "/p/<slug>/"), or write them without the slash at their start.',
    { name, count },
  );
}

function describe(
  each: Exclude<Finding, { kind: 'file' }>,
  known: Map<string, 'public' | 'private'>,
): Omit<PageWarning, 'line' | 'column'> | undefined {
  if (each.kind === 'syntax')
    return {
      code: 'SCRIPT_SYNTAX',
      ...translatable('The script does not run: {reason}.', { reason: quote(each.message) }),
    };
  if (each.kind === 'too much script')
    return {
      code: 'NOT_CHECKED',
      ...translatable(
        'This script and those after it were not checked: together they have more than 512 KB.',
      ),
    };
  if (each.kind === 'too deep')
    return {
      code: 'NOT_CHECKED',
      ...translatable(
        'The script was not checked: it is nested too deeply, or a pattern in it is too large.',
      ),
    };
  if (each.kind === 'source')
    return {
      code: 'SOURCE_FILE',
      ...translatable(
        'Browsers cannot run {name}. Build the project first, and publish what the build makes.',
        {
          name: quote(each.path),
        },
      ),
    };
  const slug = quote(each.slug);
  const visibility = known.get(each.slug);
  if (visibility === 'public') return undefined;
  return visibility === 'private'
    ? {
        code: 'PRIVATE_FUNCTION',
        ...translatable(
          'The function {slug} is private, so visitors of the page cannot call it. Set isPublic to true.',
          { slug },
        ),
      }
    : {
        code: 'UNKNOWN_FUNCTION',
        ...translatable('There is no function {slug}. Deploy it, or correct the name.', { slug }),
      };
}

/** Text of the page, in one line and not too long. */
function quote(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').toWellFormed();
  return line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…`.toWellFormed() : line;
}
