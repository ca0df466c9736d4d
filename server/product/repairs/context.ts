import type { BuilderRun } from '../../../contract/agents/builder.ts';
import type { PageError } from '../../../contract/analytics/analytics.ts';
import type { Broadcast } from '../../platform/coordination/events/index.ts';
import type { Actor, Log, OwnApi, OwnCaller } from '../../platform/http/index.ts';
import type { Db, PageRow } from '../../platform/storage/index.ts';
import type { PageDirectory } from '../ports.ts';

/** The owner for whom a repair works. All its requests are on their behalf. */
export interface RepairCaller extends OwnCaller {
  actor: Actor;
}

/** What repairs need of the builder. */
interface Builder {
  /** Fails with what the server lacks for the builder. */
  assertAvailable(): void;
  /** What the server lacks for the builder; undefined if it can work. */
  findProblem(): string | undefined;
  work(
    caller: RepairCaller,
    work: {
      pageId: number;
      prompt: string;
      limits: { functions: readonly string[]; tools: ReadonlySet<string> };
      signal: AbortSignal;
    },
  ): Promise<{ run: BuilderRun; credits: number }>;
}

export interface RepairsContext {
  db: Db;
  now: () => number;
  log: Log;
  baseUrl: string;
  broadcast: Pick<Broadcast, 'publish' | 'subscribe' | 'isSingleNode'>;
  pages: Pick<PageDirectory, 'find' | 'require' | 'lock'>;
  findError(pageId: number, fingerprint: string): Promise<PageError | undefined>;
  readCredits(userId: number): Promise<number>;
  builder: Builder;
  /** The texts that the author of a page wrote, by their paths, with the code of its functions. */
  readTexts(page: PageRow): Promise<Map<string, string>>;
  /** The page of a branch, by its name. */
  findBranch(pageId: number, name: string): Promise<number | undefined>;
  /** Removes a page that is a branch. */
  removeBranch(pageId: number): Promise<void>;
  /** The API of this service, which is known only when all routes are. */
  service: OwnApi['service'];
}
