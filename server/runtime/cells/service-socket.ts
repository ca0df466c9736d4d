import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  MAX_SERVICE_CHARACTERS,
  MAX_SERVICES_AT_ONCE,
  SERVICE_KEY_HEADER,
  type ServiceName,
} from '../../../workers/protocol.ts';
import { AppError, toFailure } from '../../lib/errors.ts';
import { AtOnce } from '../../platform/coordination/limits/index.ts';
import { openSockets, type Runtime } from '../workerd/index.ts';

/** The function that asks for a service, and its owner. */
export interface ServiceCaller {
  ownerId: number;
  functionId: number;
  /** Whether the module that the cell runs takes messages. */
  hasQueue: boolean;
}

/** A cell. One that only tests new code runs no function. */
type Admitted = Omit<ServiceCaller, 'functionId'> & { functionId: number | undefined };

/** Does something for a function. The request has what it sent, within the limit of the service. Throws if it is refused. */
export type Service = (from: ServiceCaller, request: Request) => Promise<Response>;

/** The access of one cell to services. */
export interface Admission {
  key: string;
  /** Says which function the cell runs. A cell that only tests new code has none. */
  serve(functionId: number): void;
  /** Says whether its module takes messages. */
  useQueue(hasQueue: boolean): void;
  release(): void;
}

const BYTES_PER_CHARACTER = 3;

/** The server's own socket for cells: where the services in `env` are. It opens with the first cell. */
export class ServiceSocket {
  readonly folder: string;
  readonly #services = new Map<string, Service>();
  readonly #admitted = new Map<string, Admitted>();
  /** Requests that are in progress: each can wait, and has a body in memory. */
  readonly #atOnce = new AtOnce<number>(MAX_SERVICES_AT_ONCE);
  #opening: Promise<Bun.Server<undefined>> | undefined;

  constructor(
    private readonly options: {
      runtime: Runtime;
      /** The group that all cells are in, if the server is root. */
      group: number | undefined;
      onLine(line: string): void;
    },
  ) {
    this.folder = join(options.runtime.folder, 'services');
  }

  use(name: ServiceName, service: Service): void {
    this.#services.set(`/${name}`, service);
  }

  /** Lets a cell of this owner use services until it is released. */
  admit(ownerId: number): Admission {
    const key = randomBytes(32).toString('hex');
    const admitted: Admitted = { ownerId, functionId: undefined, hasQueue: false };
    this.#admitted.set(key, admitted);
    return {
      key,
      serve: (functionId) => {
        admitted.functionId = functionId;
      },
      useQueue: (hasQueue) => {
        admitted.hasQueue = hasQueue;
      },
      release: () => void this.#admitted.delete(key),
    };
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
    runtime.makeFolder('services', group === undefined ? undefined : { id: 0, groups: [] }, group);
    const socket = join(this.folder, 'http');
    const options = {
      unix: socket,
      // Bun would close a connection after ten seconds. Another function, or a model, can take longer to answer.
      idleTimeout: 0,
      maxRequestBodySize: BYTES_PER_CHARACTER * Math.max(...Object.values(MAX_SERVICE_CHARACTERS)),
      fetch: (request: Request) => this.#respond(request),
    };
    // The types know no such timeout for a unix socket, but it has one.
    return openSockets([socket], async () => Bun.serve(options as unknown as Bun.Serve.Options<undefined>));
  }

  async #respond(request: Request): Promise<Response> {
    const from = this.#admitted.get(request.headers.get(SERVICE_KEY_HEADER) ?? '');
    if (!from) return new Response(null, { status: 401 });
    try {
      return await this.#run(from, request);
    } catch (error) {
      const failure = toFailure(error, () => undefined, 'env');
      if (!(error instanceof AppError)) this.options.onLine(`a service of a function failed: ${error}`);
      return Response.json(failure.toBody(), { status: failure.status, headers: failure.headers });
    }
  }

  async #run({ ownerId, functionId, hasQueue }: Admitted, request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const service = this.#services.get(pathname);
    if (!service || functionId === undefined)
      throw new AppError('UNAVAILABLE', 'The server is starting. Try again in a moment.');
    const limit = BYTES_PER_CHARACTER * MAX_SERVICE_CHARACTERS[pathname.slice(1) as ServiceName];
    if (!(Number(request.headers.get('content-length') ?? Number.NaN) <= limit))
      throw new AppError('PAYLOAD_TOO_LARGE', 'This is too large. Send less at once.');
    const leave = this.#atOnce.enter(ownerId);
    if (!leave)
      throw new AppError(
        'RATE_LIMITED',
        'Your functions ask for {count} things in env at once, which is the limit. Wait for some of them first.',
        { count: MAX_SERVICES_AT_ONCE },
        { headers: { 'retry-after': '1' } },
      );
    try {
      return await service({ ownerId, functionId, hasQueue }, request);
    } finally {
      leave();
    }
  }
}
