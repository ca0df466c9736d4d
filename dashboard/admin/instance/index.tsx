import { useState } from 'preact/hooks';
import type { Instance } from '../../../contract/admin/instance.ts';
import {
  LOGO_TYPES,
  MAX_INSTANCE_NAME,
  MAX_INSTANCE_TEXT,
  MAX_LOGO_BYTES,
  MAX_TAGLINE,
} from '../../../contract/rules/limits.ts';
import { t } from '../../texts/index.ts';
import {
  Button,
  Field,
  Form,
  formatBytes,
  Section,
  Show,
  Skeleton,
  say,
  TextField,
  useLoad,
} from '../../ui/index.ts';
import { readInstance, removeLogo, saveInstance, sendLogo } from '../api.ts';
import { InstancePreview } from './preview.tsx';

/** Our own color, which servers have until they choose one. */
const OWN_COLOR = '#3547a8';

/** How this server presents itself to everyone. */
export function InstanceScreen() {
  const loaded = useLoad(readInstance, []);
  return (
    <Show loaded={loaded} skeleton={<Skeleton lines={9} />}>
      {(instance) => <InstanceForm key={JSON.stringify(instance)} saved={instance} reload={loaded.reload} />}
    </Show>
  );
}

interface FormProps {
  saved: Instance;
  reload(): Promise<void>;
}

function InstanceForm({ saved, reload }: FormProps) {
  const [draft, setDraft] = useState(saved);
  const change = (fields: Partial<Instance>) => setDraft({ ...draft, ...fields });
  const { name, tagline, text, color } = draft;
  const isChanged =
    name !== saved.name || tagline !== saved.tagline || text !== saved.text || color !== saved.color;
  const save = async () => {
    await saveInstance({ name, tagline, text, color });
    await reload();
    say(t('Saved. Everyone sees it now; reload this tab to see it here.'));
  };
  return (
    <div class="instance">
      <Section
        title={t('This server')}
        hint={t(
          'How this server presents itself on the start page, the login screen, in the dashboard and in mail.',
        )}
      >
        <Form submit={t('Save')} onSubmit={save} disabled={!isChanged || name.trim() === ''}>
          <TextField
            label={t('Name')}
            value={name}
            onInput={(value) => change({ name: value })}
            maxLength={MAX_INSTANCE_NAME}
            error={name.trim() === '' ? t('Enter a name.') : undefined}
            required
          />
          <TextField
            label={t('Tagline')}
            value={tagline}
            onInput={(value) => change({ tagline: value })}
            maxLength={MAX_TAGLINE}
            hint={t('One sentence at the top of the start page, and in link previews.')}
          />
          <TextField
            label={t('About')}
            value={text}
            onInput={(value) => change({ text: value })}
            rows={5}
            maxLength={MAX_INSTANCE_TEXT}
            hint={t(
              'Shown on the start page: who runs this server, and for whom. An empty line starts a new paragraph.',
            )}
          />
          <ColorField color={color} onChange={(value) => change({ color: value })} />
        </Form>
        <LogoField logo={saved.logo} reload={reload} />
      </Section>
      <InstancePreview name={name} tagline={tagline} logo={saved.logo} color={color ?? OWN_COLOR} />
    </div>
  );
}

function ColorField({ color, onChange }: { color: string | null; onChange(color: string | null): void }) {
  return (
    <Field
      label={t('Color')}
      hint={t('For links and buttons. Quire makes it darker or lighter where it would be hard to read.')}
    >
      {(attributes) => (
        <span class="instance-color">
          <input
            {...attributes}
            type="color"
            value={color ?? OWN_COLOR}
            onInput={(event) => onChange((event.target as HTMLInputElement).value)}
          />
          {color === null ? <span>{t('Default')}</span> : <code>{color}</code>}
          {color !== null && (
            <Button kind="quiet" onClick={() => onChange(null)}>
              {t('Use the default color')}
            </Button>
          )}
        </span>
      )}
    </Field>
  );
}

function LogoField({ logo, reload }: { logo: string | null; reload(): Promise<void> }) {
  const [fault, setFault] = useState<string>();
  const send = async (file: File | undefined) => {
    setFault(undefined);
    if (!file) return;
    if (file.size > MAX_LOGO_BYTES) {
      setFault(
        t('The logo is larger than {size}. Choose a smaller one.', { size: formatBytes(MAX_LOGO_BYTES) }),
      );
      return;
    }
    try {
      await sendLogo(file);
      await reload();
      say(t('Saved the logo.'));
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  const remove = async () => {
    await removeLogo();
    await reload();
    say(t('Removed the logo.'));
  };
  return (
    <div class="instance-logo">
      <Field
        label={t('Logo')}
        error={fault}
        hint={t('PNG, JPEG or WebP, at most {size}. A square works best.', {
          size: formatBytes(MAX_LOGO_BYTES),
        })}
      >
        {(attributes) => (
          <input
            {...attributes}
            type="file"
            accept={LOGO_TYPES.join(',')}
            onChange={(event) => void send((event.target as HTMLInputElement).files?.[0])}
          />
        )}
      </Field>
      {logo && (
        <Button kind="quiet" onClick={remove}>
          {t('Remove the logo')}
        </Button>
      )}
    </div>
  );
}
