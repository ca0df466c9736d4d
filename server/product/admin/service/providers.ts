import type { NewConnection } from '../../../../contract/admin/connections.ts';
import type {
  ProviderName,
  ProviderResult,
  ProviderStatus,
  ProviderTest,
} from '../../../../contract/admin/providers.ts';
import { CONNECTABLE } from '../../../../contract/rules/provider-kinds.ts';
import { AppError } from '../../../lib/errors.ts';
import { within } from '../../../lib/time-limits/within.ts';
import type { OpenConnection } from '../../../platform/service-settings/index.ts';
import { type AuditActor, record } from '../actions.ts';
import type { AdminContext } from '../context.ts';
import { type ProviderEntry, ProviderTestError } from '../service-sources.ts';
import { complete } from './connection.ts';

/** The deadline of a provider test. Image generators are slow. */
const TEST_MS = 60_000;

type Context = Pick<AdminContext, 'providers' | 'connections'>;

export function listProviders(context: Context): ProviderStatus[] {
  return Object.entries(context.providers()).map(([name, entry]) =>
    toStatus(context, name as ProviderName, entry),
  );
}

export function findStatus(context: Context, name: ProviderName): ProviderStatus {
  return toStatus(context, name, context.providers()[name]);
}

function toStatus(
  { connections }: Context,
  name: ProviderName,
  { tryOut: _, ...status }: ProviderEntry,
): ProviderStatus {
  const connectable = CONNECTABLE.find((each) => each === name);
  return {
    name,
    ...status,
    connection: connectable ? connections.describe(connectable) : null,
    problem: (connectable && connections.problem(connectable)) ?? null,
  };
}

/** Tests providers, each once at a time. */
export class ProviderTester {
  readonly #context: AdminContext;
  readonly #running = new Set<ProviderName>();

  constructor(context: AdminContext) {
    this.#context = context;
  }

  async test(name: ProviderName, given: ProviderTest, auditActor: AuditActor): Promise<ProviderResult> {
    const { to } = given;
    const provider = this.#context.providers()[name];
    const connection = given.connection && this.#complete(name, given.connection);
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
      const userId = auditActor.actor?.userId ?? 0;
      const result = await tryProvider(provider, { to, connection, userId });
      await this.#record(name, result, to, auditActor);
      return result;
    } finally {
      this.#running.delete(name);
    }
  }

  #complete(name: ProviderName, given: NewConnection): OpenConnection {
    const connectable = CONNECTABLE.find((each) => each === name);
    if (!connectable)
      throw new AppError(
        'BAD_REQUEST',
        'Only the environment of the server connects this. Leave out the field connection.',
      );
    return complete(this.#context, connectable, given);
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
  options: Omit<Parameters<ProviderEntry['tryOut']>[0], 'signal'>,
): Promise<ProviderResult> {
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(TEST_MS);
  const late = () => new ProviderTestError(`No answer after ${TEST_MS / 1000} seconds.`, 'slow');
  const outcome = await within(TEST_MS, tryOut({ ...options, signal }), late).then(
    (result) => ({
      isWorking: true,
      reason: null,
      ...(typeof result === 'string' ? { message: result } : result),
    }),
    (error: unknown) => ({ isWorking: false, ...describeError(error) }),
  );
  return { ...outcome, durationMs: Math.round(performance.now() - startedAt) };
}

function describeError(error: unknown): Pick<ProviderResult, 'message' | 'reason' | 'models'> {
  if (!(error instanceof ProviderTestError))
    return { message: 'It failed. The log of the server says why.', reason: null };
  const { message, reason = null, models } = error;
  return { message, reason, ...(models && { models }) };
}
