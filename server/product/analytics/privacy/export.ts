import { MAX_PAGE_ERRORS } from '../../../../contract/analytics/limits.ts';
import { type ExportFile, exportFile } from '../../../lib/formats/export-files.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { listErrors } from '../errors/store.ts';
import { DIRECT, listDays, listFeatureDays, listReferrers, listViews, OTHER } from '../store.ts';
import { toPageError } from '../wire.ts';

/** How a page was used, as its owner sees it. */
export async function* exportAnalytics(
  db: Db,
  page: { id: number },
  folder: string,
): AsyncGenerator<ExportFile> {
  const days = await listDays(db, page.id, 0);
  const errors = await listErrors(db, page.id, MAX_PAGE_ERRORS);
  const features = await listFeatureDays(db, page.id);
  if (days.length + errors.length + features.length === 0) return;
  const dated = <Row extends { day: number }>({ day, ...row }: Row) => ({ day: toTimestamp(day), ...row });
  yield exportFile(`${folder}/analytics.json`, {
    days: days.map(({ day, views, visitors, errors }) => dated({ day, views, visitors, errors })),
    referrers: (await listReferrers(db, page.id)).map(({ day, referrer, views }) =>
      dated({ day, referrer: NAMES[referrer] ?? referrer, views }),
    ),
    views: (await listViews(db, page.id)).map(({ day, kind, name, views }) =>
      dated({ day, [kind]: name === OTHER ? 'others' : name, views }),
    ),
    features: features.map(dated),
    errors: errors.map(toPageError),
  });
}

const NAMES: Record<string, string> = { [DIRECT]: 'direct', [OTHER]: 'others' };
