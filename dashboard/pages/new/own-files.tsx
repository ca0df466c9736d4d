import { Failure, formatBytes, Progress, plural } from '../../ui/index.ts';
import { ChooseButton } from '../files/choose-button.tsx';
import type { Chosen } from '../files/chosen.ts';
import type { Site } from './site.ts';

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
            {site.files && `${plural(site.files.size + 1, 'file')}, `}
            {formatBytes(site.bytes)}
          </span>
        </p>
      ) : (
        <p class="hint">
          Choose a folder with an index.html, or a zip archive of one. You can also drop it on the list of
          pages.
        </p>
      )}
      {leftOut.length > 0 && (
        <p class="hint">
          Left out: {leftOut.slice(0, 5).join(', ')}
          {leftOut.length > 5 && ' and others'}.
        </p>
      )}
      {fault && <Failure error={fault} />}
      {sending ? (
        <Progress
          label="Uploading"
          done={sending.sent}
          total={sending.total}
          note={
            sending.sent < sending.total
              ? `${formatBytes(sending.sent)} of ${formatBytes(sending.total)}`
              : 'Publishing…'
          }
        />
      ) : (
        <div class="actions">
          <ChooseButton isFolder disabled={isSending} onChoose={onChoose}>
            Choose folder
          </ChooseButton>
          <ChooseButton accept=".zip,.html,.htm" disabled={isSending} onChoose={onChoose}>
            Choose zip or HTML file
          </ChooseButton>
        </div>
      )}
    </div>
  );
}
