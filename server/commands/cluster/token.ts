import type { Call } from '../../../cli/command.ts';
import { CommandError } from '../../../cli/usage.ts';
import { createJoin } from '../../platform/cluster/index.ts';
import { readConfig, readSharedSettings } from '../../platform/config/index.ts';
import { startStorage } from '../../platform/storage/index.ts';
import { assertDatabase } from '../archive/data-locations.ts';

/** `quire cluster token`: makes a token with which one machine joins the cluster. */
export async function makeToken({ environment, out }: Call): Promise<void> {
  const config = readConfig(environment);
  if (!config.cluster)
    throw new CommandError(
      'These are not the settings of a node of a cluster: QUIRE_CLUSTER_ADDRESS is not set. See docs/scaling.md.',
    );
  assertDatabase(config);
  const storage = await startStorage(config);
  try {
    const settings = readSharedSettings(environment);
    const { baseUrl } = config;
    const { token, expiresAt } = await createJoin(storage.db, {
      baseUrl,
      settings,
      now: storage.clock.now(),
    });
    out.result(
      { token, expiresAt: new Date(expiresAt).toISOString() },
      `${token}\nIt works once, for an hour, and contains what opens the settings of the cluster. On the new machine: quire cluster join <token> --address <its address>:7000`,
    );
  } finally {
    await storage.stop();
  }
}
