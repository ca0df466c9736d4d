import { useState } from 'preact/hooks';
import { MAX_PAGE_NAME } from '../../../contract/rules/limits.ts';
import { t } from '../../texts/index.ts';
import {
  Button,
  Failure,
  Form,
  formatBytes,
  Progress,
  ScreenHead,
  Switch,
  TextField,
} from '../../ui/index.ts';
import { useFileDrop } from '../files/use-file-drop.ts';
import type { Choices, ImportReport } from './api.ts';
import { ChooseSource } from './choose.tsx';
import { Report } from './report.tsx';
import { useImport } from './use-import.ts';

/** Imports what was made elsewhere: choose it, see what is taken and what is left, and publish. */
export function ImportScreen() {
  const { state, choose, publish, reset } = useImport();
  const over = useFileDrop({ onDrop: (dropped) => void choose(dropped) });
  const { report, sending, error } = state;
  return (
    <div class="import-screen">
      <ScreenHead back={{ href: '/pages', label: t('Pages') }} title={t('Import')} />
      {error && <Failure error={error} />}
      {sending && <Sending {...sending} />}
      {report && (
        <div class="import-report" hidden={sending !== undefined}>
          <Report
            report={report}
            name={state.name}
            leftOut={state.leftOut}
            actions={<PublishForm key={report.digest} {...{ report, publish, reset }} />}
          />
        </div>
      )}
      {!report && (
        <div class="import-report" hidden={sending !== undefined}>
          <ChooseSource onChoose={choose} />
        </div>
      )}
      {over && (
        <div class="page-list-drop" role="status">
          {t('Drop a folder, an archive or a file to import it')}
        </div>
      )}
    </div>
  );
}

interface PublishFormProps {
  report: ImportReport;
  publish: (choices: Choices) => Promise<void>;
  reset: () => void;
}

/** Asks for the name of the page, and publishes what the report says. */
function PublishForm({ report: { digest, page }, publish, reset }: PublishFormProps) {
  const [name, setName] = useState(page?.name ?? '');
  const [isPublished, setPublished] = useState(true);
  const other = (
    <Button kind="quiet" onClick={reset}>
      {t('Import something else')}
    </Button>
  );
  if (digest === null) return other;
  const choices: Choices = {
    ...(page && { title: name.trim() }),
    state: isPublished ? 'published' : 'draft',
  };
  return (
    <Form
      submit={isPublished ? t('Publish') : t('Create page')}
      onSubmit={() => publish(choices)}
      disabled={page !== null && name.trim() === ''}
      aside={other}
    >
      {page && (
        <>
          <TextField label={t('Name')} value={name} onInput={setName} maxLength={MAX_PAGE_NAME} required />
          <Switch
            label={t('Publish now')}
            hint={t('Anyone with the link can see it. You can change this in the settings.')}
            checked={isPublished}
            onChange={setPublished}
          />
        </>
      )}
    </Form>
  );
}

interface SendingProps {
  isPublishing: boolean;
  sent: number;
  /** Undefined for an address, whose size is not known. */
  total: number | undefined;
}

function Sending({ isPublishing, sent, total }: SendingProps) {
  const isSent = total === undefined || sent >= total;
  const label = isPublishing ? t('Publishing…') : t('Reading…');
  return (
    <Progress
      label={label}
      {...(isSent
        ? {}
        : {
            done: sent,
            total,
            note: t('{size} of {limit}', { size: formatBytes(sent), limit: formatBytes(total) }),
          })}
    />
  );
}
