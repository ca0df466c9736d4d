import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t, translated } from '../../texts/index.ts';
import { Badge, Button, Empty, formatBytes, Section } from '../../ui/index.ts';
import type { ImportReport } from './api.ts';

/** Lines of a list before the person asks for all. */
const SHOWN = 20;

interface ReportProps {
  report: ImportReport;
  name: string;
  /** Names that this browser did not send. */
  leftOut: string[];
  actions: ComponentChildren;
}

/** What an import takes, and what it leaves and why. */
export function Report({ report, name, leftOut, actions }: ReportProps) {
  const { taken, left, more_left: more } = report;
  const unsent: ImportReport['left'] = leftOut.map((path) => ({
    path,
    why: t('belongs to other programs'),
  }));
  return (
    <>
      {report.digest === null ? (
        <Empty title={t('Nothing to publish')} icon="search">
          {t('Nothing in {name} can be published. What was found is below, with the reason.', { name })}
        </Empty>
      ) : (
        <Parts report={report} />
      )}
      {actions}
      {left.length + unsent.length > 0 && (
        <Section title={t('Not taken, and why')}>
          <Lines
            rows={[...left, ...unsent].map(({ path, why, ...more }) => ({
              path,
              what: sayWhy(why, more),
              note: more.files === undefined ? '' : sayFiles(more.files),
            }))}
          />
          {more > 0 && <p class="hint">{t('And {count} more.', { count: more })}</p>}
        </Section>
      )}
      {taken.length > 0 && (
        <Section title={t('{count|{count} file is taken|{count} files are taken}', { count: taken.length })}>
          <Lines
            rows={taken.map(({ path, as, size, function: slug }) => ({
              path,
              what: slug === undefined ? asWord(as) : `${asWord(as)} · ${slug}`,
              note: formatBytes(size),
            }))}
          />
        </Section>
      )}
    </>
  );
}

type Why = Partial<Pick<ImportReport['left'][number], 'text' | 'values'>>;

const sayWhy = (why: string, { text = why, values }: Why) => translated({ text, ...(values && { values }) });

const sayFiles = (count: number) => t('{count|{count} file|{count} files}', { count });

const asWord = (as: ImportReport['taken'][number]['as']) =>
  ({
    document: t('the page itself'),
    file: t('file'),
    settings: t('settings'),
    code: t('code'),
    migration: t('migration'),
    component: t('component, compiled with React'),
  })[as];

/** The page and the functions that will be made. */
function Parts({ report: { page, functions } }: { report: ImportReport }) {
  return (
    <ul class="import-parts">
      {page && (
        <li>
          <Badge kind="good">{t('Page')}</Badge> <strong>{page.name}</strong>{' '}
          <span class="faint">
            {t('{count|{count} file|{count} files}, {size}', {
              count: page.files + 1,
              size: formatBytes(page.bytes),
            })}
            {page.spa && ` · ${t('single-page app')}`}
          </span>
        </li>
      )}
      {functions.map((each) => (
        <li key={each.slug}>
          <Badge kind="good">{t('Function')}</Badge> <strong>{each.slug}</strong>{' '}
          <span class="faint">{describe(each).join(' · ')}</span>
        </li>
      ))}
    </ul>
  );
}

function describe({
  hasDatabase,
  migrations,
  schedules,
  secrets,
}: ImportReport['functions'][number]): string[] {
  return [
    ...(hasDatabase ? [t('with a database')] : []),
    ...(migrations.length > 0
      ? [t('{count|{count} migration|{count} migrations}', { count: migrations.length })]
      : []),
    ...schedules.map((cron) => t('runs at {cron}', { cron })),
    ...(secrets.length > 0 ? [t('secrets: {names}', { names: secrets.join(', ') })] : []),
  ];
}

interface Line {
  path: string;
  what: string;
  note: string;
}

function Lines({ rows }: { rows: Line[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, SHOWN);
  return (
    <>
      <ul class="import-lines">
        {shown.map(({ path, what, note }, index) => (
          <li key={index}>
            <code>{path}</code>
            <span>{what}</span>
            <span class="faint number">{note}</span>
          </li>
        ))}
      </ul>
      {rows.length > shown.length && (
        <Button kind="quiet" onClick={() => setWhole(true)}>
          {t('Show all {count}', { count: rows.length })}
        </Button>
      )}
    </>
  );
}
