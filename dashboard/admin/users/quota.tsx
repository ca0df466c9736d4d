import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Button, Dialog, Form, formatBytes, formatNumber, Section, say, TextField } from '../../ui/index.ts';
import { type QuotaBody, setQuota, type UserDetail } from '../api.ts';
import { Fact, type UserPart } from './part.tsx';

const MB = 1024 * 1024;

/** How much the user may have. */
export function QuotaSection({ user, reload }: UserPart) {
  const [isOpen, setOpen] = useState(false);
  const { quota, serviceQuota } = user;
  return (
    <Section
      title={t('Quota')}
      actions={
        <Button kind="quiet" onClick={() => setOpen(true)}>
          {t('Change the quota')}
        </Button>
      }
    >
      <dl class="admin-facts">
        <Fact title={t('Pages')}>{inWords(quota.pages, serviceQuota.pages, formatNumber)}</Fact>
        <Fact title={t('Functions')}>{inWords(quota.functions, serviceQuota.functions, formatNumber)}</Fact>
        <Fact title={t('Storage')}>{inWords(quota.bytes, serviceQuota.bytes, formatBytes)}</Fact>
      </dl>
      {isOpen && (
        <QuotaForm
          user={user}
          onClose={() => setOpen(false)}
          onSaved={async () => {
            setOpen(false);
            say(t('The quota of {username} is saved.', { username: user.username }));
            await reload();
          }}
        />
      )}
    </Section>
  );
}

function inWords(own: number | null, service: number | null, format: (value: number) => string) {
  if (own === 0) return t('No limit');
  if (own !== null) return format(own);
  return (
    <>
      {service === null ? t('No limit') : format(service)} <span class="faint">{t('default')}</span>
    </>
  );
}

/** What a field means: empty is null, and the rest must be a whole number. */
function read(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : undefined;
}

function QuotaForm(props: { user: UserDetail; onClose: () => void; onSaved: () => Promise<void> }) {
  const { user, onClose, onSaved } = props;
  const text = (value: number | null) => (value === null ? '' : String(value));
  const [pages, setPages] = useState(text(user.quota.pages));
  const [functions, setFunctions] = useState(text(user.quota.functions));
  const [megabytes, setMegabytes] = useState(
    text(user.quota.bytes === null ? null : Math.round(user.quota.bytes / MB)),
  );
  const values = [read(pages), read(functions), read(megabytes)] as const;
  const isValid = values.every((value) => value !== undefined);
  const describeError = (value: number | null | undefined) =>
    value === undefined ? t('Enter a whole number, or leave it empty.') : undefined;
  const save = async () => {
    const [ofPages = null, ofFunctions = null, ofMegabytes = null] = values;
    const bytes = ofMegabytes === null ? null : ofMegabytes * MB;
    const quota: QuotaBody = { pages: ofPages, functions: ofFunctions, bytes };
    await setQuota(user.id, quota);
    await onSaved();
  };
  return (
    <Dialog title={t('Quota of {username}', { username: user.username })} onClose={onClose}>
      <p>
        {t('Leave a field empty to use the default quota. 0 means no limit. A lower quota deletes nothing.')}
      </p>
      <Form submit={t('Save the quota')} disabled={!isValid} onSubmit={save} onCancel={onClose}>
        <TextField
          label={t('Pages')}
          value={pages}
          onInput={setPages}
          error={describeError(values[0])}
          autofocus
        />
        <TextField
          label={t('Functions')}
          value={functions}
          onInput={setFunctions}
          error={describeError(values[1])}
        />
        <TextField
          label={t('Storage in MB')}
          value={megabytes}
          onInput={setMegabytes}
          error={describeError(values[2])}
        />
      </Form>
    </Dialog>
  );
}
