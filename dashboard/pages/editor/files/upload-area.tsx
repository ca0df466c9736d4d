import { t } from '../../../texts/index.ts';
import { Button, Progress } from '../../../ui/index.ts';
import { ChooseButton } from '../../files/choose-button.tsx';
import { QuestionDialog } from './question.tsx';
import type { Sending, Uploads } from './use-uploads.ts';

/** The buttons to upload files into a folder, and how an upload goes. */
export function UploadArea({ uploads, folder }: { uploads: Uploads; folder: string }) {
  const { sending, failure, question, take, dismiss } = uploads;
  const isBusy = sending !== undefined;
  return (
    <>
      <div class="page-files-upload">
        <ChooseButton disabled={isBusy} onChoose={(chosen) => take(chosen, folder)}>
          {t('Upload files')}
        </ChooseButton>
        <ChooseButton isFolder disabled={isBusy} onChoose={(chosen) => take(chosen, folder)}>
          {t('Upload folder')}
        </ChooseButton>
      </div>
      {sending && <Upload {...sending} />}
      {failure && (
        <div class="notice bad" role="alert">
          <p>{failure.message}</p>
          <Button kind="bare" onClick={dismiss}>
            {t('Dismiss')}
          </Button>
        </div>
      )}
      {question && <QuestionDialog {...question} />}
    </>
  );
}

function Upload({ label, sent, total, cancel }: Sending) {
  return (
    <div class="page-files-sending">
      <Progress
        label={label}
        done={sent}
        total={total}
        note={sent < total ? `${Math.floor((sent / total) * 100)} %` : t('Saving…')}
      />
      <Button kind="bare" onClick={cancel}>
        {t('Cancel')}
      </Button>
    </div>
  );
}
