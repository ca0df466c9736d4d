import { Link } from '../../router.tsx';
import { rich, t } from '../../texts/index.ts';
import {
  Badge,
  type Column,
  Empty,
  formatBytes,
  formatMoment,
  formatNumber,
  Section,
  Show,
  Skeleton,
  Table,
  useLoad,
} from '../../ui/index.ts';
import { readStorage, type StorageReport } from '../api.ts';

type Part = keyof StorageReport['parts'];
const PARTS: Array<[Part, string]> = [
  ['database', t('Database')],
  ['files', t('Files, pictures and code')],
  ['functionDatabases', t('Databases of functions')],
  ['backups', t('Backups')],
  ['other', t('Packages and other files')],
];

/** What fills the disk, and who stores the most. */
export function StorageScreen() {
  const report = useLoad(readStorage, []);
  return (
    <Show loaded={report} skeleton={<Skeleton lines={12} />}>
      {(value) => (
        <>
          <Disk report={value} />
          <Section
            title={t('Users who store the most')}
            hint={t('Pages, files, data and databases together.')}
          >
            {value.users.length === 0 ? (
              <Empty title={t('Nobody stores anything yet')} />
            ) : (
              <div class="stacks">
                <Table
                  caption={t('Users who store the most')}
                  rows={value.users}
                  getKey={({ id }) => id}
                  columns={COLUMNS}
                />
              </div>
            )}
          </Section>
        </>
      )}
    </Show>
  );
}

function Disk({ report }: { report: StorageReport }) {
  const { disk, parts } = report;
  const isNearlyFull = disk.freeBytes < disk.totalBytes / 10;
  const largest = Math.max(1, ...PARTS.map(([part]) => parts[part] ?? 0));
  return (
    <Section
      title={t('Disk')}
      hint={t('Measured {moment}. Updated at most once a minute.', {
        moment: formatMoment(report.measuredAt),
      })}
    >
      <p class="admin-free">
        {rich(
          '<b>{size}</b> of {total} free',
          { b: (text) => <strong>{text}</strong> },
          { size: formatBytes(disk.freeBytes), total: formatBytes(disk.totalBytes) },
        )}{' '}
        {isNearlyFull && <Badge kind="bad">{t('Nearly full')}</Badge>}
      </p>
      <div class={`admin-bar admin-disk${isNearlyFull ? ' bad' : ''}`}>
        <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
          <rect width={100 * (1 - disk.freeBytes / Math.max(1, disk.totalBytes))} height="1" />
        </svg>
      </div>
      <h3 class="admin-stored">{t('What Quire stores')}</h3>
      <dl class="admin-parts">
        {PARTS.map(([part, title]) => (
          <div key={part}>
            <dt>{title}</dt>
            <dd class="number">{describeSize(report, part)}</dd>
            <dd class="admin-bar" aria-hidden="true">
              <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                <rect width={(100 * (parts[part] ?? 0)) / largest} height="1" />
              </svg>
            </dd>
          </div>
        ))}
      </dl>
      {!report.isComplete && (
        <p class="hint">{t('There are too many files to count them all. The real sizes are larger.')}</p>
      )}
    </Section>
  );
}

function describeSize({ parts, bucket, isDatabaseElsewhere }: StorageReport, part: Part): string {
  const bytes = parts[part];
  if (bytes === null)
    return bucket !== null && part !== 'database' ? t('In the bucket {bucket}', { bucket }) : t('Unknown');
  const size = formatBytes(bytes);
  return part === 'database' && isDatabaseElsewhere ? t('{size} in PostgreSQL', { size }) : size;
}

const COLUMNS: Array<Column<StorageReport['users'][number]>> = [
  {
    title: t('User'),
    cell: ({ id, username }) => (
      <div class="admin-name">
        <Link href={`/admin/users/${id}`}>{username}</Link>
      </div>
    ),
  },
  { title: t('Pages'), cell: ({ pages }) => formatNumber(pages), isNumber: true, isMinor: true },
  { title: t('Functions'), cell: ({ functions }) => formatNumber(functions), isNumber: true, isMinor: true },
  { title: t('Storage'), cell: ({ storedBytes }) => formatBytes(storedBytes), isNumber: true },
];
