import type { Sealer } from '../../../lib/secrets.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { Bundler } from '../../../runtime/bundler/index.ts';
import type { Cells } from '../../../runtime/cells/index.ts';
import type { Databases } from '../../../runtime/databases/index.ts';
import type { ChargeUsage, MomentKeeper, PageDirectory } from '../../ports.ts';
import type { Registry } from '../calls/registry.ts';
import type { FunctionLogs } from '../logs/logs.ts';
import type { DeployTurns } from './deploy-turns.ts';

/** The dependencies of deploying. */
export interface DeployContext {
  db: Db;
  now: () => number;
  cells: Cells;
  databases: Databases;
  bundler: Bundler;
  registry: Registry;
  logs: FunctionLogs;
  chargeUsage: ChargeUsage;
  moments: MomentKeeper;
  sealer: Sealer;
  pages: PageDirectory;
  /** Limits how often, and how many at a time, an owner deploys. */
  deployTurns: DeployTurns;
}
