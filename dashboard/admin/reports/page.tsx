import { useState } from 'preact/hooks';
import { REASON_WORDS } from '../../../contract/reports/words.ts';
import { Link } from '../../router.tsx';
import { rich, t, translated } from '../../texts/index.ts';
import { Badge, Button, formatAgo, formatMoment, PagePicture, say } from '../../ui/index.ts';
import { type AdminReport, dismissReports, takePageDown } from '../api.ts';
import { Ask } from '../ask.tsx';
import { TakeDownDialog } from '../content/list.tsx';
import { sayTakeDown } from '../content/pages.tsx';

interface PageProps {
  reports: [AdminReport, ...AdminReport[]];
  reload(): Promise<void>;
}

/** A page that was reported: what it looked like, what people say, and the decision. Nothing here opens the page. */
export function ReportedPage({ reports, reload }: PageProps) {
  const [newest] = reports;
  const { page } = newest;
  const path = `/p/${page.slug}`;
  return (
    <li class="report-page">
      <Picture report={newest} />
      <div class="report-about">
        <h3 dir="auto">{page.name}</h3>
        <p class="hint">
          <code>{path}</code> ·{' '}
          {rich(
            'by <a>{name}</a>',
            { a: (text) => <Link href={`/admin/users/${page.owner.id}`}>{text}</Link> },
            { name: page.owner.username },
          )}
        </p>
        <p class="report-badges">
          {page.takenDown && <Badge kind="bad">{t('Taken down')}</Badge>}
          {page.isOwnerBlocked && <Badge kind="warn">{t('Owner blocked')}</Badge>}
          {page.unclaimedUntil && <Badge kind="warn">{t('Not claimed')}</Badge>}
          {reports.some(({ hasChanged }) => hasChanged) && (
            <Badge kind="warn">{t('Changed since the report')}</Badge>
          )}
        </p>
        <ul class="report-list">
          {reports.map((report) => (
            <Report key={report.id} report={report} />
          ))}
        </ul>
        <Decision reports={reports} path={path} reload={reload} />
      </div>
    </li>
  );
}

function Picture({ report: { page, picture } }: { report: AdminReport }) {
  if (!picture)
    return (
      <div class="report-picture" title={t('There is no picture of this page.')}>
        <PagePicture page={{ name: page.name, preview_image: null }} />
      </div>
    );
  return (
    <a class="report-picture" href={picture} target="_blank" rel="noopener noreferrer">
      <img
        src={picture}
        alt={t('The page {name} when it was reported', { name: page.name })}
        width="1200"
        height="750"
        loading="lazy"
      />
    </a>
  );
}

const STATES = {
  open: null,
  upheld: <Badge kind="bad">{t('Taken down')}</Badge>,
  dismissed: <Badge>{t('Dismissed')}</Badge>,
};

function Report({ report }: { report: AdminReport }) {
  const { reason, text, contact, createdAt, state, answer } = report;
  return (
    <li>
      <p>
        <strong>{translated(REASON_WORDS[reason])}</strong> {STATES[state]}{' '}
        <span class="faint" title={formatMoment(createdAt)}>
          {formatAgo(createdAt)}
        </span>
      </p>
      {text && (
        <p class="report-text" dir="auto">
          {text}
        </p>
      )}
      {contact && <p class="hint">{t('Reporter: {contact}', { contact })}</p>}
      {answer && (
        <blockquote class="report-answer">
          <p class="hint">{t('The owner answered {when}', { when: formatAgo(answer.at) })}</p>
          <p class="report-text" dir="auto">
            {answer.text}
          </p>
        </blockquote>
      )}
    </li>
  );
}

/** Nothing if all reports are decided. */
function Decision({ reports, path, reload }: PageProps & { path: string }) {
  const [isAsking, setAsking] = useState<'down' | 'dismiss'>();
  const [open] = reports.filter(({ state }) => state === 'open');
  const close = () => setAsking(undefined);
  if (!open) return null;
  const { page } = open;
  return (
    <div class="actions">
      {!page.takenDown && (
        <Button kind="danger" label={t('Take down {name}', { name: path })} onClick={() => setAsking('down')}>
          {t('Take down')}
        </Button>
      )}
      <Button
        kind="quiet"
        label={t('Dismiss the reports of {name}', { name: path })}
        onClick={() => setAsking('dismiss')}
      >
        {t('Dismiss the reports')}
      </Button>
      {isAsking === 'down' && (
        <TakeDownDialog
          name={path}
          {...sayTakeDown(page)}
          takeDown={(reason) => takePageDown(page.id, reason)}
          onClose={close}
          reload={reload}
        />
      )}
      {isAsking === 'dismiss' && (
        <Ask
          title={t('Dismiss the reports of {name}', { name: path })}
          submit={t('Dismiss the reports')}
          onClose={close}
          onConfirm={async () => {
            await dismissReports(open.id);
            close();
            say(t('The reports of {name} are dismissed.', { name: path }));
            await reload();
          }}
        >
          <p>{t('All open reports of this page are dismissed, and the page stays as it is.')}</p>
        </Ask>
      )}
    </div>
  );
}
