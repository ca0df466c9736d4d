import type { StorageKind, StorageReport } from '../../contract/accounts/home/storage.ts';
import { accountEndpoints } from '../../contract/accounts/own-account-endpoints.ts';
import { call } from '../api.ts';
import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';
import {
  Badge,
  type Column,
  Empty,
  formatBytes,
  formatCredits,
  Section,
  Show,
  Skeleton,
  Table,
  useLoad,
} from '../ui/index.ts';

const KINDS: Record<StorageKind, string> = {
  documents: t('Versions and drafts'),
  files: t('Files'),
  images: t('Images'),
  'team files': t('Team files'),
  records: t('Records'),
  forms: t('Messages from forms'),
  code: t('Versions and secrets'),
  messages: t('Messages that wait'),
  database: t('Database'),
};

/** What uses storage and credits, the largest first, with links to where it is deleted. */
export function StorageScreen() {
  const report = useLoad((signal) => call(accountEndpoints.getStorage, { signal }), []);
  return (
    <Show loaded={report} skeleton={<Skeleton lines={12} />}>
      {(value) => (
        <>
          <Total report={value} />
          <Things title={t('Pages')} things={value.pages.map(toPage)} />
          <Things title={t('Functions')} things={value.functions.map(toFunction)} />
          <Spending credits={value.credits} />
        </>
      )}
    </Show>
  );
}

function Total({ report: { bytes, quota, history, otherBytes } }: { report: StorageReport }) {
  const share = quota ? bytes / quota : 0;
  const size = formatBytes(bytes);
  return (
    <Section title={t('Storage')} hint={t('Pages, files, data, functions and databases together.')}>
      <p class="account-balance">
        <strong>{size}</strong>{' '}
        {quota === null ? t('used, without a limit') : t('of {quota} used', { quota: formatBytes(quota) })}{' '}
        {share >= 0.95 && <Badge kind="bad">{t('Nearly full')}</Badge>}
      </p>
      {quota !== null && (
        <meter
          class="account-meter"
          min={0}
          max={1}
          low={0.8}
          high={0.95}
          optimum={0}
          value={Math.min(1, share)}
          aria-label={t('Storage used')}
        />
      )}
      <p class="hint">
        {history.quota === null
          ? t('Earlier states take {size}, which do not count.', { size: formatBytes(history.bytes) })
          : t('Earlier states take {size} of {quota}, which do not count. The oldest go by themselves.', {
              size: formatBytes(history.bytes),
              quota: formatBytes(history.quota),
            })}{' '}
        {otherBytes > 0 && t('Something else takes {size}.', { size: formatBytes(otherBytes) })}
      </p>
    </Section>
  );
}

/** A page or a function. */
interface Thing {
  key: string;
  href: string;
  name: string;
  /** Tells it from its branches, which have the same name. */
  slug: string;
  bytes: number;
  parts: StorageReport['pages'][number]['parts'];
}

const toPage = ({ id, name, slug, bytes, parts }: StorageReport['pages'][number]): Thing => ({
  ...{ key: String(id), href: `/pages/${id}`, name, slug, bytes, parts },
});

const toFunction = ({ slug, name, bytes, parts }: StorageReport['functions'][number]): Thing => ({
  ...{ key: slug, href: `/functions/${slug}`, name, slug, bytes, parts },
});

function Things({ title, things }: { title: string; things: Thing[] }) {
  return (
    <Section title={title} hint={t('The largest first. Each link leads to where you can delete it.')}>
      {things.length === 0 ? (
        <Empty title={t('Nothing is stored yet')} />
      ) : (
        <Table caption={title} rows={things} getKey={({ key }) => key} columns={COLUMNS} />
      )}
    </Section>
  );
}

const COLUMNS: Array<Column<Thing>> = [
  {
    title: t('Name'),
    cell: ({ href, name, slug }) => (
      <>
        <Link href={href}>{name}</Link>
        {name !== slug && <code class="account-slug">{slug}</code>}
      </>
    ),
  },
  { title: t('Size'), cell: ({ bytes }) => formatBytes(bytes), isNumber: true },
  {
    title: t('What it stores'),
    cell: ({ parts }) => (
      <ul class="account-parts">
        {parts.map(({ kind, bytes, path }) => (
          <li key={kind}>
            <Link href={path}>{KINDS[kind]}</Link> <span class="hint">{formatBytes(bytes)}</span>
          </li>
        ))}
      </ul>
    ),
  },
];

function Spending({ credits: { days, spent, pages } }: Pick<StorageReport, 'credits'>) {
  return (
    <Section
      title={t('Credits by page')}
      hint={t('{amount} spent in the last {count|day|{count} days}.', {
        amount: formatCredits(spent),
        count: days,
      })}
    >
      {pages.length === 0 ? (
        <Empty title={t('No credits were spent')} />
      ) : (
        <Table caption={t('Credits by page')} rows={pages} getKey={({ id }) => id ?? 0} columns={SPENDING} />
      )}
    </Section>
  );
}

const SPENDING: Array<Column<StorageReport['credits']['pages'][number]>> = [
  {
    title: t('Page'),
    cell: ({ id, name }) =>
      id === null ? t('Without a page') : (name ?? t('A page that you cannot see any more')),
  },
  { title: t('Credits'), cell: ({ spent }) => formatCredits(spent), isNumber: true },
  {
    title: t('Actions'),
    isActions: true,
    cell: ({ id }) => id !== null && <Link href="/account/credits">{t('Change access')}</Link>,
  },
];
