import type { Connection, NewConnection, NewUserCredits } from '../../../../contract/admin/connections.ts';
import { CONNECTION_KINDS, type Connectable } from '../../../../contract/rules/provider-kinds.ts';
import { AppError } from '../../../lib/errors.ts';
import type { OpenConnection } from '../../../platform/service-settings/index.ts';
import { type AuditActor, record } from '../actions.ts';
import type { AdminContext } from '../context.ts';

/** The settings that connect a provider. If the environment has one of them, nobody can change it here. */
export const SETTINGS: Record<Connectable, string> = {
  chat: 'QUIRE_AI_PROVIDER',
  images: 'QUIRE_IMAGE_URL',
  'image-search': 'QUIRE_IMAGE_SEARCH',
};
const CREDITS_SETTING = 'QUIRE_CREDITS_NEW_USER';

type Context = Pick<AdminContext, 'connections' | 'db' | 'now'>;

/** Connects a provider from the next call on, on all nodes. */
export async function connect(
  context: Context,
  name: Connectable,
  given: NewConnection,
  auditActor: AuditActor,
): Promise<void> {
  const connection = complete(context, name, given);
  const before = context.connections.describe(name);
  await save(context, name, connection, auditActor, describeChange(before, given, connection));
}

/** Disconnects a provider, and forgets its key. */
export async function disconnect(context: Context, name: Connectable, auditActor: AuditActor): Promise<void> {
  assertChangeable(context, name);
  await save(context, name, undefined, auditActor, {});
}

async function save(
  context: Context,
  name: Connectable,
  connection: OpenConnection | undefined,
  auditActor: AuditActor,
  details: Record<string, unknown>,
): Promise<void> {
  const { connections, db } = context;
  await db.transaction().execute(async (tx) => {
    await connections.save(tx, name, connection);
    await record(context, tx, auditActor, {
      action: connection ? 'provider.connect' : 'provider.disconnect',
      target: { kind: 'provider', id: null, name },
      details,
    });
  });
  await connections.announce();
}

/** What the audit log says: never the key, only whether it is another one. */
function describeChange(before: Connection, given: NewConnection, now: OpenConnection) {
  return {
    provider: now.provider,
    ...(now.model && { model: now.model }),
    ...(now.url && { host: URL.parse(now.url)?.host }),
    isNewKey: given.key !== undefined && given.key !== null,
    wasConnected: before.source === 'dashboard',
  };
}

/** Sets the credits of new accounts. */
export async function setNewUserCredits(
  context: Context,
  credits: number | null,
  auditActor: AuditActor,
): Promise<NewUserCredits> {
  const { connections, db } = context;
  if (connections.newUserCredits.source === 'environment') throw setByEnvironment(CREDITS_SETTING);
  await db.transaction().execute(async (tx) => {
    await connections.saveNewUserCredits(tx, credits);
    await record(context, tx, auditActor, {
      action: 'credits.new_users',
      target: { kind: 'service', id: null, name: 'credits' },
      details: { credits },
    });
  });
  await connections.announce();
  return connections.newUserCredits;
}

/** A connection that can be used: checked, and with the saved key if none is given. */
export function complete(
  { connections }: Pick<AdminContext, 'connections'>,
  name: Connectable,
  given: NewConnection,
): OpenConnection {
  assertChangeable({ connections }, name);
  const { provider, url } = given;
  const kinds: readonly string[] = CONNECTION_KINDS[name];
  if (!kinds.includes(provider))
    throw new AppError('BAD_REQUEST', 'The provider must be one of {values}.', { values: kinds.join(', ') });
  if (name === 'image-search') return { provider, url };
  if (provider === 'openai-compatible' && url === undefined)
    throw new AppError('BAD_REQUEST', 'Enter the address of the API, such as https://api.example.com/v1.');
  if (given.model === undefined) throw new AppError('BAD_REQUEST', 'Enter the name of a model.');
  const key = given.key === null ? undefined : (given.key ?? connections.findKey(provider, url));
  if (provider === 'anthropic' && key === undefined)
    throw new AppError(
      'BAD_REQUEST',
      'Enter the API key. Saved keys are used only at the address they are for.',
    );
  const { model } = given;
  if (name === 'images') return { provider, url, key, model };
  return {
    provider,
    url,
    key,
    model,
    visionModel: given.visionModel,
    embedModel: given.embedModel,
    offersBuilder: given.offersBuilder ?? true,
    models: given.models,
  };
}

function assertChangeable({ connections }: Pick<AdminContext, 'connections'>, name: Connectable): void {
  if (connections.source(name) === 'environment') throw setByEnvironment(SETTINGS[name]);
}

const setByEnvironment = (setting: string) =>
  new AppError('CONFLICT', 'The environment of the server sets this with {setting}. Change it there.', {
    setting,
  });
