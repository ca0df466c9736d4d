import { useState } from 'preact/hooks';
import type { ReportState } from '../../../contract/reports/limits.ts';
import { t } from '../../texts/index.ts';
import { Empty, Pager, Section, Select, Show, Skeleton, useLoad } from '../../ui/index.ts';
import { type AdminReport, listReports } from '../api.ts';
import { ReportedPage } from './page.tsx';

const STATES = [
  ['open', t('To decide')],
  ['upheld', t('Taken down')],
  ['dismissed', t('Dismissed')],
  ['', t('All reports')],
] as const;

/** What visitors report, by page. */
export function ReportsScreen() {
  const [state, setState] = useState<ReportState | ''>('open');
  const [offset, setOffset] = useState(0);
  const loaded = useLoad((signal) => listReports({ state, offset }, signal), [state, offset]);
  const total = loaded.value?.total;
  return (
    <Section
      title={t('Reports')}
      {...(total !== undefined && { hint: t('{count|{count} report|{count} reports}', { count: total }) })}
    >
      <div class="admin-filters">
        <Select
          label={t('State')}
          hideLabel
          value={state}
          options={STATES}
          onChange={(chosen) => {
            setState(chosen);
            setOffset(0);
          }}
        />
      </div>
      <Show loaded={loaded} skeleton={<Skeleton kind="rows" lines={6} />}>
        {({ reports, limit, total: all }) =>
          reports.length === 0 ? (
            <Empty title={t('No reports')}>
              {state === 'open'
                ? t('Visitors report pages at {path}. What they send appears here.', { path: '/report' })
                : t('No report has this state.')}
            </Empty>
          ) : (
            <>
              <ul class="reports">
                {groupByPage(reports).map((group) => (
                  <ReportedPage key={group[0].page.id} reports={group} reload={loaded.reload} />
                ))}
              </ul>
              {all > limit && (
                <Pager {...{ limit, offset, total: all }} shown={reports.length} onMove={setOffset} />
              )}
            </>
          )
        }
      </Show>
    </Section>
  );
}

type Group = [AdminReport, ...AdminReport[]];

/** The reports of each page, in the order of the newest. */
function groupByPage(reports: AdminReport[]): Group[] {
  const groups = new Map<number, Group>();
  for (const report of reports) {
    const group = groups.get(report.page.id);
    if (group) group.push(report);
    else groups.set(report.page.id, [report]);
  }
  return [...groups.values()];
}
