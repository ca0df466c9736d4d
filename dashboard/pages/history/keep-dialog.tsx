import { useState } from 'preact/hooks';
import { MAX_MOMENT_NAME, MAX_NAMED_MOMENTS } from '../../../contract/rules/limits.ts';
import { t } from '../../texts/index.ts';
import { Dialog, Form, say, TextField } from '../../ui/index.ts';
import { keepMoment, type Moment } from './api.ts';

interface KeepProps {
  pageId: number;
  /** How many moments with a name there are. */
  named: number;
  onKept: (moment: Moment) => Promise<void>;
  onClose: () => void;
}

/** Keeps everything as it is now, under a name. */
export function KeepDialog({ pageId, named, onKept, onClose }: KeepProps) {
  const [name, setName] = useState('');
  const isFull = named >= MAX_NAMED_MOMENTS;
  const keep = async () => {
    const moment = await keepMoment(pageId, name.trim());
    say(t('Kept as {name}.', { name: moment.name ?? '' }));
    await onKept(moment);
  };
  return (
    <Dialog title={t('Keep this moment')} onClose={onClose}>
      {isFull ? (
        <div class="notice warn" role="alert">
          <p>
            {t(
              'This page has {max} moments with a name, and it can have no more. Delete one that you no longer need: the list shows them under “With a name”.',
              { max: MAX_NAMED_MOMENTS },
            )}
          </p>
        </div>
      ) : (
        <Form submit={t('Keep')} disabled={name.trim() === ''} onSubmit={keep} onCancel={onClose}>
          <TextField
            label={t('Name')}
            value={name}
            onInput={setName}
            maxLength={MAX_MOMENT_NAME}
            placeholder={t('Before the party')}
            hint={t(
              'Everything as it is now, until you delete it: the page, its functions, databases and records. {named} of {max} are used.',
              { named, max: MAX_NAMED_MOMENTS },
            )}
            autofocus
          />
        </Form>
      )}
    </Dialog>
  );
}
