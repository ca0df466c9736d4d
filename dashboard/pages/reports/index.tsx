import { useState } from 'preact/hooks';
import { MAX_REPORT_TEXT } from '../../../contract/reports/limits.ts';
import { REASON_WORDS } from '../../../contract/reports/words.ts';
import { t, translated } from '../../texts/index.ts';
import {
  Badge,
  Button,
  Dialog,
  Empty,
  Form,
  formatAgo,
  formatMoment,
  type Loaded,
  Section,
  Show,
  Skeleton,
  say,
  TextField,
} from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { answerReport, type OwnReport } from './api.ts';

interface ReportsProps {
  page: PageDetail;
  reports: Loaded<OwnReport[] | undefined>;
}

/** What visitors have reported about a page, for its owner, who can answer. */
export function OwnReportsScreen({ page, reports: loaded }: ReportsProps) {
  const [asked, setAsked] = useState<OwnReport>();
  return (
    <Section
      title={t('Reports')}
      hint={t('Visitors have sent these to the administrators of this server, who read your answers.')}
    >
      <Show loaded={loaded} skeleton={<Skeleton kind="rows" />}>
        {(reports) =>
          !reports || reports.length === 0 ? (
            <Empty title={t('No reports')}>{t('Nobody has reported this page.')}</Empty>
          ) : (
            <ul class="report-list">
              {reports.map((report) => (
                <Report key={report.id} report={report} onAnswer={() => setAsked(report)} />
              ))}
            </ul>
          )
        }
      </Show>
      {asked && (
        <AnswerDialog
          report={asked}
          onClose={() => setAsked(undefined)}
          onSend={async (text) => {
            await answerReport(page.id, asked.id, text);
            setAsked(undefined);
            say(t('Your answer was sent.'));
            await loaded.reload();
          }}
        />
      )}
    </Section>
  );
}

const STATES = {
  open: <Badge kind="warn">{t('Not decided')}</Badge>,
  upheld: <Badge kind="bad">{t('Taken down')}</Badge>,
  dismissed: <Badge kind="good">{t('Dismissed')}</Badge>,
};

function Report({ report, onAnswer }: { report: OwnReport; onAnswer(): void }) {
  const { reason, text, createdAt, state, answer } = report;
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
      {answer && (
        <blockquote class="report-answer">
          <p class="hint">{t('You answered {when}', { when: formatAgo(answer.at) })}</p>
          <p class="report-text" dir="auto">
            {answer.text}
          </p>
        </blockquote>
      )}
      {state !== 'dismissed' && (
        <div class="actions">
          <Button kind="quiet" onClick={onAnswer}>
            {answer ? t('Change the answer') : t('Answer')}
          </Button>
        </div>
      )}
    </li>
  );
}

interface DialogProps {
  report: OwnReport;
  onClose(): void;
  onSend(text: string): Promise<void>;
}

function AnswerDialog({ report, onClose, onSend }: DialogProps) {
  const [text, setText] = useState(report.answer?.text ?? '');
  return (
    <Dialog title={t('Answer the report')} onClose={onClose}>
      <Form
        submit={t('Send the answer')}
        disabled={text.trim() === ''}
        onSubmit={() => onSend(text.trim())}
        onCancel={onClose}
      >
        <TextField
          label={t('Your answer')}
          hint={t('Administrators read this. The person who sent the report does not.')}
          value={text}
          onInput={setText}
          rows={6}
          maxLength={MAX_REPORT_TEXT}
          autofocus
        />
      </Form>
    </Dialog>
  );
}
