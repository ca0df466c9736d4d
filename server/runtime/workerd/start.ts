import { type ControlGroups, openControlGroups } from './control-groups.ts';
import { startLeftoverCleaner } from './leftovers.ts';
import { createNetworkFiles, type NetworkFiles } from './network-files.ts';
import { createRuntime, type Runtime } from './runtime.ts';

/** What every box is made of. */
export interface Boxes {
  runtime: Runtime;
  network: NetworkFiles;
  /** Undefined if the kernel cannot limit the memory of each box. */
  groups: ControlGroups | undefined;
  stop(): Promise<void>;
}

/** Prepares the runtime folder, the network files for boxes, and the process that cleans up after a killed server. */
export async function startBoxes(options: {
  dataFolder: string;
  sandbox: 'auto' | 'require' | 'off';
  databaseTempBytes?: number;
}): Promise<Boxes> {
  // This must come first, while this process has no children.
  const groups = openControlGroups();
  const runtime = await createRuntime(options.dataFolder, options.sandbox, options.databaseTempBytes);
  const cleaner = startLeftoverCleaner(runtime);
  const network = createNetworkFiles(runtime);
  return {
    runtime,
    network,
    groups,
    async stop() {
      await cleaner.stop();
      network.stop();
      runtime.stop();
    },
  };
}
