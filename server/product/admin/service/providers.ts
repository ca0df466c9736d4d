import type {
  ProviderName,
  ProviderResult,
  ProviderStatus,
  ProviderTest,
} from '../../../../contract/admin/providers.ts';
import { AppError } from '../../../lib/errors.ts';
import { within } from '../../../lib/within.ts';
import { type AuditActor, record } from '../actions.ts';
import type { AdminContext } from '../context.ts';
import { type ProviderEntry, ProviderTestError } from '../service-sources.ts';

/** The deadline of a provider test. Image generators are slow. */
const TEST_MS = 60_000;

export function listProviders({ providers }: Pick<AdminContext, 'providers'>): ProviderStatus[] {
  return Object.entries(providers()).map(([name, { tryOut: _, ...status }]) => ({
    name: name as ProviderName,
    ...status,
  }));
}

/** Tests providers, each once at a time. */
export class ProviderTester {
  readonly #context: AdminContext;
  readonly #running = new Set<ProviderName>();

  constructor(context: AdminContext) {
    this.#context = context;
  }

  async test(name: ProviderName, { to }: ProviderTest, auditActor: AuditActor): Promise<ProviderResult> {
    const provider = this.#context.providers()[name];
    if (to !== undefined && name !== 'mail')
      throw new AppError('BAD_REQUEST', 'Only the test of mail takes an address. Leave out the field to.');
    if (provider.state === 'off')
      throw new AppError('CONFLICT', 'This provider is off. Set {setting} and restart the server.', {
        setting: provider.setting,
      });
    if (this.#running.has(name))
      throw new AppError('CONFLICT', 'Somebody is already testing this. Try again in a moment.');
    this.#running.add(name);
    try {
      const result = await tryProvider(provider, { to, userId: auditActor.actor?.userId ?? 0 });
      await this.#record(name, result, to, auditActor);
      return result;
    } finally {
      this.#running.delete(name);
    }
  }

  async #record(
    name: ProviderName,
    { isWorking }: ProviderResult,
    to: string | undefined,
    auditActor: AuditActor,
  ) {
    await this.#context.db.transaction().execute((tx) =>
      record(this.#context, tx, auditActor, {
        action: 'provider.test',
        target: { kind: 'provider', id: null, name },
        details: { isWorking, ...(to !== undefined && { to }) },
      }),
    );
  }
}

async function tryProvider(
  { tryOut }: ProviderEntry,
  options: { to: string | undefined; userId: number },
): Promise<ProviderResult> {
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(TEST_MS);
  const late = () => new ProviderTestError(`No answer after ${TEST_MS / 1000} seconds.`);
  const outcome = await within(TEST_MS, tryOut({ ...options, signal }), late).then(
    (message) => ({ isWorking: true, message }),
    (error: unknown) => ({ isWorking: false, message: describeError(error) }),
  );
  return { ...outcome, durationMs: Math.round(performance.now() - startedAt) };
}

const describeError = (error: unknown) =>
  error instanceof ProviderTestError ? error.message : 'It failed. The log of the server says why.';
