import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { LIVE_HEADERS, LIVE_PUBLICATIONS } from '../../../workers/protocol.ts';
import { AppError, toFailure } from '../../lib/errors.ts';
import { openSockets, type Runtime } from '../workerd/index.ts';

/** Publishes something to visitors for an owner. `read` gives what the function sent. Throws if that is refused. */
export type Publish = (ownerId: number, read: () => Promise<unknown>) => Promise<void>;

/** The server's own socket for cells: where `env.LIVE` publishes. It opens with the first cell. */
export class LiveSocket {
  readonly folder: string;
  /** Each owner's cells have their own key, made from this. */
  readonly #secret = randomBytes(32);
  #publish: Publish = async () => {
    throw new AppError('UNAVAILABLE', 'The server is starting. Try again in a moment.');
  };
  #opening: Promise<Bun.Server<undefined>> | undefined;

  constructor(
    private readonly options: {
      runtime: Runtime;
      /** The group that all cells are in, if the server is root. */
      group: number | undefined;
      onLine(line: string): void;
    },
  ) {
    this.folder = join(options.runtime.folder, 'live');
  }

  usePublish(publish: Publish): void {
    this.#publish = publish;
  }

  /** What proves to this socket that a request comes from a cell of this owner. */
  makeKey(owner: number): string {
    return createHmac('sha256', this.#secret).update(String(owner)).digest('hex');
  }

  async ready(): Promise<void> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    await this.#opening;
  }

  async stop(): Promise<void> {
    const server = await this.#opening?.catch(() => undefined);
    await server?.stop(true);
  }

  #open(): Promise<Bun.Server<undefined>> {
    const { runtime, group } = this.options;
    runtime.makeFolder('live', group === undefined ? undefined : { id: 0, groups: [] }, group);
    const socket = join(this.folder, 'http');
    return openSockets([socket], async () =>
      Bun.serve({
        unix: socket,
        // A character has three bytes at most.
        maxRequestBodySize: 3 * LIVE_PUBLICATIONS.maxBytes,
        fetch: (request) => this.#respond(request),
      }),
    );
  }

  async #respond(request: Request): Promise<Response> {
    const owner = Number(request.headers.get(LIVE_HEADERS.owner));
    if (!this.#isKey(owner, request.headers.get(LIVE_HEADERS.key) ?? ''))
      return new Response(null, { status: 401 });
    try {
      await this.#publish(owner, () => request.json());
      return new Response(null, { status: 204 });
    } catch (error) {
      const failure = toFailure(error, () => undefined, 'env.LIVE');
      if (!(error instanceof AppError)) this.options.onLine(`publishing for a function failed: ${error}`);
      return Response.json(failure.toBody(), { status: failure.status, headers: failure.headers });
    }
  }

  #isKey(owner: number, key: string): boolean {
    const expected = Buffer.from(this.makeKey(owner));
    const given = Buffer.from(key);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}
