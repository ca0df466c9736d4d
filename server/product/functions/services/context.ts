import type { z } from 'zod';
import type { ChatBody } from '../../../../contract/features/chat.ts';
import type { Role } from '../../../../contract/roles.ts';
import { parseRun, RUN_HEADER } from '../../../../workers/protocol.ts';
import type { Limits } from '../../../platform/coordination/limits/index.ts';
import type { Handler, SignedInCaller } from '../../../platform/http/index.ts';
import type { Mail } from '../../../platform/mail/index.ts';
import type { Db, GroupCommit, PageRow } from '../../../platform/storage/index.ts';
import type { Cells } from '../../../runtime/cells/index.ts';
import type { ChargeUsage, KeepMail, PageDirectory } from '../../ports.ts';
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
  /** Keeps the mail of a function of a branch, which is not sent. */
  keepMail: KeepMail;
  /** The user with this name or address, and the address that they have confirmed. */
  findReachable(db: Db, nameOrAddress: string): Promise<{ userId: number; email: string } | undefined>;
  /** The addresses of those of these users who have confirmed one. */
  listConfirmedEmails(db: Db, userIds: number[]): Promise<string[]>;
  /** The members of a page's team, without its owner. Fails if the page has no team. */
  listTeam(db: Db, page: PageRow): Promise<Array<{ userId: number; username: string; role: Role }>>;
  config: { functionMail: 'team' | 'anyone'; callsPerMinute: number };
  /** The API of this service. It is known only when all routes are. */
  api(): Handler;
  /** Models, for the credits of the owner. Known when the API is. */
  ai(): FunctionAi;
  now: () => number;
  commit: GroupCommit;
  chargeUsage: ChargeUsage;
  /** Call this when messages were sent. */
  wakeJobs(): void;
}

/** A function that asks a model. */
export interface AskingFunction {
  id: number;
  pageId: number | null;
  owner: SignedInCaller;
  signal: AbortSignal;
  /** The error if there are too few credits, or too few for today. */
  refuse(why: string): Promise<Error>;
}

/** Answers what functions ask models. */
export interface FunctionAi {
  chat(asking: AskingFunction, body: ChatBody): Promise<Response>;
  embed(asking: AskingFunction, texts: string[]): Promise<Response>;
}

/** The function that asks. */
export interface Asking {
  asking: LiveFunction & { ownerId: number };
  /** Whether its module takes messages. */
  hasQueue?: boolean;
}

/** The function that asks, and the page that it belongs to. */
export interface Asker extends Asking {
  page: PageRow;
}

/** The run that a function is part of while it asks; undefined if no live call or delivery led to it. */
export const readRun = ({ headers }: Request): string | undefined => headers.get(RUN_HEADER) ?? undefined;

/** How many runs of live calls and deliveries of changes led to what a function asks for; undefined for none. */
export function readRound(request: Request): number | undefined {
  const run = readRun(request);
  return run === undefined ? undefined : parseRun(run) + 1;
}

/** A service: the shape of what functions send, and what happens then. */
export interface EnvService<Question extends z.ZodType, From extends Asking = Asker> {
  question: Question;
  run(asker: From, asked: z.infer<Question>, request: Request): Promise<Response>;
}
