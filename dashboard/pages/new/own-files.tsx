import { t } from '../../texts/index.ts';
import { Failure, formatBytes, Progress } from '../../ui/index.ts';
import { ChooseButton } from '../files/choose-button.tsx';
import type { Chosen } from '../files/chosen.ts';
import type { Site } from './site.ts';

/** How many files that are left out are named. */
const NAMED = 5;

interface OwnFilesProps {
  site: Site | undefined;
  fault: Error | undefined;
  leftOut: string[];
  sending: { sent: number; total: number } | undefined;
  onChoose: (chosen: Chosen) => void;
}

/** Lets a person choose the folder or the archive that becomes the page. */
export function OwnFiles({ site, fault, leftOut, sending, onChoose }: OwnFilesProps) {
  const isSending = sending !== undefined;
  return (
    <div class="page-own">
      {site ? (
        <p role="status">
          <strong>{site.source}</strong>{' '}
          <span class="faint">
            {site.files
              ? t('{count|{count} file|{count} files}, {size}', {
                  count: site.files.size + 1,
                  size: formatBytes(site.bytes),
                })
              : formatBytes(site.bytes)}
          </span>
        </p>
      ) : (
        <p class="hint">
          {t(
            'Choose a folder with an index.html, or a zip archive of one. You can also drop it on the list of pages.',
          )}
        </p>
      )}
      {leftOut.length > 0 && (
        <p class="hint">
          {leftOut.length > NAMED
            ? t('Left out: {names} and others.', { names: leftOut.slice(0, NAMED).join(', ') })
            : t('Left out: {names}.', { names: leftOut.join(', ') })}
        </p>
      )}
      {fault && <Failure error={fault} />}
      {sending ? (
        <Progress
          label={t('Uploading')}
          done={sending.sent}
          total={sending.total}
          note={
            sending.sent < sending.total
              ? t('{size} of {limit}', {
                  size: formatBytes(sending.sent),
                  limit: formatBytes(sending.total),
                })
              : t('Publishing…')
          }
        />
      ) : (
        <div class="actions">
          <ChooseButton isFolder disabled={isSending} onChoose={onChoose}>
            {t('Choose folder')}
          </ChooseButton>
          <ChooseButton accept=".zip,.html,.htm" disabled={isSending} onChoose={onChoose}>
            {t('Choose zip or HTML file')}
          </ChooseButton>
        </div>
      )}
    </div>
  );
}
