import { useState } from 'preact/hooks';
import { MAX_PAGE_NAME } from '../../../contract/rules/limits.ts';
import type { Template, TemplateSummary } from '../../../contract/templates/templates.ts';
import { ApiError } from '../../api.ts';
import { navigate } from '../../router.tsx';
import { me } from '../../session.ts';
import { t } from '../../texts/index.ts';
import { Dialog, Form, Switch, say, TextField } from '../../ui/index.ts';
import { screenOf } from '../api.ts';
import { getTemplate, type Progress, publishTemplate, stepsOf } from './api.ts';
import { TemplatePicture } from './picture.tsx';

/** Asks for a name, publishes the template and opens the page in the editor. */
export function TemplateDialog({ template, onClose }: { template: TemplateSummary; onClose: () => void }) {
  const [name, setName] = useState(template.title);
  const [isPublished, setPublished] = useState(true);
  const [fault, setFault] = useState<string>();
  const [whole, setWhole] = useState<Template>();
  const [progress, setProgress] = useState<Progress>({ done: 0 });
  const publish = async () => {
    setFault(undefined);
    try {
      const read = whole ?? (await getTemplate(template.key));
      setWhole(read);
      const wish = { template: read, name: name.trim(), username: me.value?.username ?? '', isPublished };
      const page = await publishTemplate(wish, progress, setProgress);
      say(
        isPublished
          ? t('Published {name}.', { name: page.name })
          : t('Created {name}. Only you can see it.', { name: page.name }),
      );
      navigate(screenOf(page.id));
    } catch (error) {
      const detail = error instanceof ApiError && error.details.find(({ path }) => path === 'name');
      if (!detail) throw error;
      setFault(t('The name {fault}.', { fault: detail.message }));
    }
  };
  return (
    <Dialog title={template.title} onClose={onClose}>
      <Form
        submit={isPublished ? t('Publish page') : t('Create page')}
        onSubmit={publish}
        disabled={name.trim() === ''}
        onCancel={onClose}
      >
        <TemplatePicture template={template} />
        <p>{template.description}</p>
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
        {whole && <Steps steps={stepsOf(whole)} done={progress.done} />}
      </Form>
    </Dialog>
  );
}

function Steps({ steps, done }: { steps: string[]; done: number }) {
  const states = { done: t('done'), running: t('in progress'), waiting: t('waiting') };
  return (
    <ol class="page-steps" aria-live="polite">
      {steps.map((step, index) => {
        const state = index < done ? 'done' : index > done ? 'waiting' : 'running';
        return (
          <li key={step} class={state}>
            {step}
            <span class="for-readers">: {states[state]}</span>
          </li>
        );
      })}
    </ol>
  );
}
