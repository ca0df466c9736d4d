import { t } from '../../texts/index.ts';
import { Button, Failure, formatBytes, Progress, ScreenHead } from '../../ui/index.ts';
import { useFileDrop } from '../files/use-file-drop.ts';
import { ChooseSource } from './choose.tsx';
import { Report } from './report.tsx';
import { useImport } from './use-import.ts';

/** Moves in what was made elsewhere: choose it, see what is taken and what is left, and publish. */
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
            actions={
              <>
                {report.digest !== null && <Button onClick={publish}>{t('Publish')}</Button>}
                <Button kind="quiet" onClick={reset}>
                  {t('Import something else')}
                </Button>
              </>
            }
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
