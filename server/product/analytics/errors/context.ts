import type { ErrorCall, ReportedVisit } from '../../../../contract/analytics/visits.ts';
import { MAX_VISIT_BYTES } from '../../../../contract/analytics/visits.ts';
import type { Caller } from '../../../platform/http/index.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../../ports.ts';
import { authorTexts, hideBody, hidePath, hideSteps, toStored } from './hide.ts';

export interface KeepContext {
  db: Db;
  pages: Pick<PageDirectory, 'resolveRole'>;
  /** The document of a page and the files beside it, their names, and the code of its functions, as one text. */
  readSource(page: PageRow): Promise<string>;
}

/** What led to an error in a visitor's browser. */
export async function keepVisit(
  context: KeepContext,
  page: PageRow,
  visit: Pick<ReportedVisit, 'width' | 'steps'> & { path: string },
  { actor }: Pick<Caller, 'actor'>,
): Promise<string | null> {
  const { width } = visit;
  const isOfAuthor = authorTexts(await context.readSource(page));
  const path = hidePath(visit.path, isOfAuthor);
  const as = await readKind(context, page, actor);
  return toStored({ kind: 'visit', path, as, width, steps: hideSteps(visit.steps, isOfAuthor) });
}

/** A call of a function that failed. */
export async function keepCall(
  context: Pick<KeepContext, 'readSource'>,
  page: PageRow,
  { body: sent, ...call }: Omit<ErrorCall, 'kind' | 'body'> & { body: Uint8Array },
): Promise<string | null> {
  if (sent.byteLength > MAX_VISIT_BYTES) return null;
  const isOfAuthor = authorTexts(await context.readSource(page));
  const body = hideBody(Buffer.from(sent).toString(), isOfAuthor);
  return body === undefined ? null : toStored({ kind: 'call', ...call, body });
}

async function readKind({ db, pages }: KeepContext, page: PageRow, actor: Caller['actor']): Promise<string> {
  if (!actor) return 'nobody';
  return (await pages.resolveRole(db, page, actor)) ?? 'visitor';
}
