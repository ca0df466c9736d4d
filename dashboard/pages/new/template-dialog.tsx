import { useRef, useState } from 'preact/hooks';
import { MAX_PAGE_NAME } from '../../../contract/rules/limits.ts';
import type { PublishTemplate, TemplateSummary } from '../../../contract/templates/templates.ts';
import { t, translated } from '../../texts/index.ts';
import { Dialog, Form, Switch, TextField } from '../../ui/index.ts';
import { publishTemplate } from './api.ts';
import { createAndOpen } from './created.ts';
import { TemplatePicture } from './picture.tsx';

/** Asks for a name, publishes the template and shows the page. */
export function TemplateDialog({ template, onClose }: { template: TemplateSummary; onClose: () => void }) {
  const [name, setName] = useState(translated({ text: template.title }));
  const [isPublished, setPublished] = useState(true);
  const [fault, setFault] = useState<string>();
  const { isMaking, make, stop } = useMaking(template.key);
  const create = () => make({ name: name.trim(), is_published: isPublished });
  const close = () => {
    stop();
    onClose();
  };
  const publish = async () => {
    setFault(undefined);
    setFault(await createAndOpen(create, { isPublished, template: template.key }));
  };
  return (
    <Dialog title={translated({ text: template.title })} onClose={close}>
      <Form
        submit={isPublished ? t('Publish page') : t('Create page')}
        onSubmit={publish}
        disabled={name.trim() === ''}
        onCancel={close}
      >
        <TemplatePicture template={template} />
        <p>{translated({ text: template.description })}</p>
        {template.needs_packages && (
          <p class="hint">
            {t('Its function uses npm packages, which this server downloads when it deploys it.')}
          </p>
        )}
        <TextField
          label={t('Name')}
          value={name}
          onInput={setName}
          maxLength={MAX_PAGE_NAME}
          error={fault}
          autofocus
          required
        />
        <Switch
          label={t('Publish now')}
          hint={t('Anyone with the link can see it. You can change this in the settings.')}
          checked={isPublished}
          onChange={setPublished}
        />
        {isMaking && <Making hasFunction={template.parts.includes('function')} />}
      </Form>
    </Dialog>
  );
}

function Making({ hasFunction }: { hasFunction: boolean }) {
  return (
    <p class="page-making" role="status">
      {hasFunction ? t('Deploying its function and making the page…') : t('Making the page…')}
    </p>
  );
}

/**
 * Makes the page. Closing the dialog stops it, and the server removes what it has made. If the response is lost, the next
 * attempt has the same key, and finds the page that the first one may have made.
 */
function useMaking(key: string) {
  const [isMaking, setMaking] = useState(false);
  const controller = useRef(new AbortController());
  const [requestKey] = useState(makeKey);
  const make = async (wish: Pick<PublishTemplate, 'name' | 'is_published'>) => {
    const { signal } = controller.current;
    setMaking(true);
    try {
      return await publishTemplate(key, { ...wish, request_key: requestKey }, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    } finally {
      setMaking(false);
    }
  };
  return { isMaking, make, stop: () => controller.current.abort() };
}

const makeKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(36)).join('-');
