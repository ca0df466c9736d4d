import { useState } from 'preact/hooks';
import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import { MAX_NOTE } from '../../../contract/rules/limits.ts';
import { chooseLanguage } from '../../editor/files/index.ts';
import { CodeEditor } from '../../editor/index.tsx';
import { t } from '../../texts/index.ts';
import { Button, Dialog, Form, TextField } from '../../ui/index.ts';
import type { EditedPage } from './work/edited-page.ts';
import type { MovedOn } from './work/publish-draft.ts';

/** Publishes with a note on the version. */
export function NoteDialog({ work, onClose }: { work: EditedPage; onClose: () => void }) {
  const [note, setNote] = useState(work.known.draft?.note ?? '');
  return (
    <Dialog title={t('Publish with a note')} onClose={onClose}>
      <Form
        submit={t('Publish')}
        onSubmit={async () => {
          onClose();
          await work.publish({ note });
        }}
      >
        <TextField
          label={t('What changed?')}
          hint={t('The version history shows it. Visitors do not see it.')}
          value={note}
          onInput={setNote}
          rows={3}
          maxLength={MAX_NOTE}
          autofocus
        />
      </Form>
    </Dialog>
  );
}

/** Shown when the page was changed after the draft was started: compares both, and lets the person choose. */
export function MovedOnDialog({ work, movedOn }: { work: EditedPage; movedOn: MovedOn }) {
  const version = String(movedOn.version);
  const next = String(movedOn.version + 1);
  return (
    <Dialog title={t('The published page has changed')} onClose={work.goOn} wide>
      <p>
        {t(
          'Someone published version {version} after you started this draft. Your draft, compared with it:',
          {
            version,
          },
        )}
      </p>
      <div class="page-diff">
        <CodeEditor
          text={work.textNow(INDEX_PATH) ?? ''}
          original={movedOn.html}
          language={chooseLanguage(INDEX_PATH)}
          label={t('Your draft, compared with version {version}', { version })}
          isReadOnly
        />
      </div>
      <div class="actions page-choices">
        <Button onClick={() => work.publish({ note: movedOn.note, baseVersion: movedOn.version })}>
          {t('Publish mine as version {next}', { next })}
        </Button>
        <Button kind="quiet" onClick={work.goOn}>
          {t('Keep editing the draft')}
        </Button>
      </div>
      <p class="hint">
        {t('If you publish yours, version {version} stays in the version history.', { version })}
      </p>
    </Dialog>
  );
}
