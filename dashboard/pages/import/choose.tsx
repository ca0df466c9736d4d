import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Form, Icon, TextField } from '../../ui/index.ts';
import { ChooseButton } from '../files/choose-button.tsx';
import type { Chosen } from '../files/chosen.ts';

interface ChooseSourceProps {
  onChoose: (chosen: Chosen | Promise<Chosen> | string) => Promise<void>;
}

/** Lets a person choose files of theirs, or an address. */
export function ChooseSource({ onChoose }: ChooseSourceProps) {
  const [address, setAddress] = useState('');
  return (
    <>
      <p class="import-about">
        {t(
          'A built site, a page that you saved, a page or React component from a chat assistant, a Worker with its database, or a Val Town project. You see what is taken and what is left before anything is published.',
        )}
      </p>
      <div class="import-ways">
        <section class="import-way" aria-label={t('Your files')}>
          <Icon name="upload" size={24} />
          <h2>{t('Your files')}</h2>
          <p class="hint">{t('Drop a folder, a zip or tar.gz archive, or one file here.')}</p>
          <div class="actions">
            <ChooseButton isFolder onChoose={onChoose}>
              {t('Choose folder')}
            </ChooseButton>
            <ChooseButton accept=".zip,.gz,.tgz,.tar,.html,.htm,.jsx,.tsx,.js,.ts" onChoose={onChoose}>
              {t('Choose file')}
            </ChooseButton>
          </div>
        </section>
        <section class="import-way" aria-label={t('An address')}>
          <Icon name="globe" size={24} />
          <h2>{t('An address')}</h2>
          <Form
            submit={t('Read address')}
            onSubmit={() => onChoose(address.trim())}
            disabled={address.trim() === ''}
          >
            <TextField
              label={t('URL')}
              hint={t('Of a page, an archive, or a repository at GitHub or GitLab.')}
              placeholder="https://"
              value={address}
              onInput={setAddress}
              required
            />
          </Form>
        </section>
      </div>
    </>
  );
}
