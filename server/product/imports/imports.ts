import type { ImportAddress, ImportQuery, ImportReport } from '../../../contract/imports/imports.ts';
import { UPLOAD_LIMIT } from '../../../contract/pages/files/files.ts';
import { AppError } from '../../lib/errors.ts';
import { readBoundary } from '../../lib/formats/multipart.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import { identifySender, type OwnApi, spoolBody } from '../../platform/http/index.ts';
import { compileComponent } from './compile.ts';
import type { Importer, ImportsOptions, Service } from './context.ts';
import { fetchAddress } from './open/fetch-address.ts';
import type { Prepared } from './open/prepare.ts';
import { Receiver } from './open/receive.ts';
import { publish } from './publish.ts';
import { startPublishing } from './publishing/publishing.ts';

type Choices = Pick<ImportQuery, 'digest' | 'slug' | 'state' | 'title'>;

/** Imports what was made elsewhere: first a report, and with its digest, the same is published. */
export class Imports {
  readonly #receiver: Receiver;
  readonly #addresses: Limit;
  #service: Service | undefined;

  constructor(private readonly options: ImportsOptions) {
    this.#receiver = new Receiver(options.config.dataFolder);
    this.#addresses = options.limits.limit(
      'import-addresses',
      { points: 60, seconds: 3600 },
      'You have imported {points} addresses in an hour. Try again {wait}.',
    );
  }

  /** Sets the API, which is known only when all routes are. */
  connect(service: Service): void {
    this.#service = service;
  }

  get api(): OwnApi {
    if (!this.#service) throw new Error('imports are not connected');
    return { baseUrl: this.options.baseUrl, service: this.#service };
  }

  /** Imports what the body of a request has. */
  async importBody(importer: Importer, request: Request, query: ImportQuery): Promise<ImportReport> {
    const type = request.headers.get('content-type') ?? '';
    const boundary = /^multipart\/form-data\b/i.test(type) ? readBoundary(type) : undefined;
    return this.#import(importer, request, query, boundary, async (path) => {
      const size = await spoolBody(request, path, UPLOAD_LIMIT);
      if (size === 0) throw new AppError('BAD_REQUEST', 'The request has no body. Send the files in it.');
      return query.name ?? '';
    });
  }

  /** Imports what is at an address. */
  async importAddress(importer: Importer, request: Request, body: ImportAddress): Promise<ImportReport> {
    await this.#addresses.take(String(importer.actor.userId));
    return this.#import(importer, request, body, undefined, (path) =>
      fetchAddress(this.options.fetchExternal, body.url, path, request.signal),
    );
  }

  stop(): void {
    this.#receiver.stop();
  }

  #import(
    importer: Importer,
    request: Request,
    choices: Choices,
    boundary: string | undefined,
    spool: (path: string) => Promise<string>,
  ): Promise<ImportReport> {
    const sender = identifySender(importer.actor, '');
    const isPublishing = choices.digest !== undefined;
    return this.#receiver.receive({ request, sender, boundary, isPublishing, spool }, async (prepared) => {
      if (!isPublishing) return { ...prepared.report, published: null };
      assertSame(prepared, choices);
      return { ...prepared.report, published: await this.#publish(importer, request, choices, prepared) };
    });
  }

  async #publish(
    importer: Importer,
    { signal }: Request,
    { digest: _, ...choices }: Choices,
    prepared: Prepared,
  ) {
    const component = prepared.page?.component;
    // A component that does not compile must leave nothing behind.
    const script =
      component && (await compileComponent(this.options.bundler, importer.actor.userId, component));
    return publish({ ...startPublishing(this.api, importer, signal), script, ...choices }, prepared);
  }
}

/** Fails if something else would be published than what the person has seen. */
function assertSame({ report }: Prepared, { digest }: Choices): void {
  if (report.digest === null)
    throw new AppError('BAD_REQUEST', 'There is nothing to publish: the report says why.');
  if (report.digest === digest) return;
  throw new AppError(
    'CONFLICT',
    'The files are not those of the report: they have changed. Read the new report, and publish with its digest.',
  );
}
