import { createNetworkFiles, type NetworkFiles } from './box/network-files.ts';
import { startLeftoverCleaner } from './leftovers.ts';
import { createRuntime, type Runtime } from './runtime.ts';

/** Prepares the runtime folder, the network files for boxes, and the process that cleans up after a killed server. */
export async function startRuntime(options: {
  dataFolder: string;
  sandbox: 'auto' | 'require' | 'off';
  databaseTempBytes?: number;
}): Promise<{ runtime: Runtime; network: NetworkFiles; stop(): Promise<void> }> {
  const runtime = await createRuntime(options.dataFolder, options.sandbox, options.databaseTempBytes);
  const cleaner = startLeftoverCleaner(runtime);
  const network = createNetworkFiles(runtime);
  return {
    runtime,
    network,
    async stop() {
      await cleaner.stop();
      network.stop();
      runtime.stop();
    },
  };
}
