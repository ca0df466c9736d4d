import { resolve } from 'node:path';
import type { Call } from '../../../cli/command.ts';
import { CommandError, EXIT, toExitCode, UsageError } from '../../../cli/usage.ts';
import { operationEndpoints } from '../../../contract/operations/endpoints.ts';
import { type JoinToken, readJoinToken } from '../../platform/cluster/index.ts';
import { findFault } from '../../platform/config/index.ts';
import { openNewEnvFile } from './new-env-file.ts';

const ANSWER_MS = 30_000;
const DEFAULT_FILE = 'quire.env';

/** `quire cluster join <token>`: gets the settings of a cluster, and writes them to a file. */
export async function joinCluster(call: Call): Promise<void> {
  const token = readJoinToken(call.args[0] ?? '');
  if (!token)
    throw new UsageError('This is not a whole join token. Copy the token from `quire cluster token` again.');
  const own = readOwnSettings(call);
  const path = resolve(call.text('env-file') ?? DEFAULT_FILE);
  // Before the token is used: it works only once.
  const file = openNewEnvFile(path, { replaces: call.flag('force') });
  try {
    file.write({ ...token.open(await fetchSealed(token)), ...own });
  } catch (error) {
    file.discard();
    throw error;
  }
  call.out.result(
    { file: path },
    `Wrote the settings of the cluster to ${path}. Only its owner can read it. Check this machine with: quire doctor --env-file ${path}`,
  );
}

function readOwnSettings(call: Call): Record<string, string> {
  const address = call.text('address');
  const host = call.text('host');
  if (!address)
    throw new UsageError('Add --address: where other nodes reach this one, such as 10.0.0.2:7000.');
  const fault = findFault('QUIRE_CLUSTER_ADDRESS', address);
  if (fault) throw new UsageError(`--address ${fault}.`);
  return { ...(host && { QUIRE_HOST: host }), QUIRE_CLUSTER_ADDRESS: address };
}

async function fetchSealed({ baseUrl, lookup }: JoinToken): Promise<string> {
  const { method, path } = operationEndpoints.joinCluster;
  const response = await fetch(baseUrl + path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ lookup }),
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch((error: Error) => {
    throw new CommandError(`${baseUrl} cannot be reached: ${error.message}`, EXIT.unreachable);
  });
  const body = (await response.json().catch(() => ({}))) as { sealed?: unknown; error?: unknown };
  if (response.ok && typeof body.sealed === 'string') return body.sealed;
  const why = typeof body.error === 'string' ? body.error : `${baseUrl} answered with ${response.status}.`;
  throw new CommandError(why, toExitCode(response.status));
}
