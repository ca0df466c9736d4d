import type { z } from 'zod';
import type { Limits } from '../../../platform/coordination/limits/index.ts';
import type { Handler } from '../../../platform/http/index.ts';
import type { Mail } from '../../../platform/mail/index.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { Cells } from '../../../runtime/cells/index.ts';
import type { PageDirectory } from '../../ports.ts';
import type { Calls } from '../calls/call.ts';
import type { LiveFunction, Registry } from '../calls/registry.ts';
import type { PageVisitors, WhoCalls } from '../calls/who-calls.ts';

/** What the services in `env` need. */
export interface ServicesContext {
  db: Db;
  baseUrl: string;
  cells: Pick<Cells, 'useService'>;
  registry: Pick<Registry, 'byId'>;
  calls: Pick<Calls, 'callBetween'>;
  whoCalls: Pick<WhoCalls, 'findVisitor'>;
  pages: PageDirectory;
  visitors: Pick<PageVisitors, 'findAgain'>;
  limits: Limits;
  mail: Mail;
  /** The user with this name or address, and the address that they have confirmed. */
  findReachable(db: Db, nameOrAddress: string): Promise<{ userId: number; email: string } | undefined>;
  config: { functionMail: 'team' | 'anyone'; callsPerMinute: number };
  /** The API of this service. It is known only when all routes are. */
  api(): Handler;
}

/** The function that asks, and the page that it belongs to. */
export interface Asker {
  asking: LiveFunction & { ownerId: number };
  page: PageRow;
}

/** A service: the shape of what functions send, and what happens then. */
export interface EnvService<Question extends z.ZodType> {
  question: Question;
  run(asker: Asker, asked: z.infer<Question>, request: Request): Promise<Response>;
}
