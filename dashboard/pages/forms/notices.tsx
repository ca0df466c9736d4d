import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Switch, say } from '../../ui/index.ts';
import { setFormNotices } from './api.ts';

/** Whether the owner of a page gets mail about new messages. */
export function Notices({ pageId, isOn }: { pageId: number; isOn: boolean }) {
  const [checked, setChecked] = useState(isOn);
  const change = (next: boolean) => {
    setChecked(next);
    setFormNotices(pageId, next).catch((error: Error) => {
      setChecked(!next);
      say(error.message, 'bad');
    });
  };
  return (
    <div class="form-notices">
      <Switch
        label={t('Mail about new messages')}
        hint={t('Sent to the page owner’s confirmed address, at most once every ten minutes.')}
        checked={checked}
        onChange={change}
      />
    </div>
  );
}
