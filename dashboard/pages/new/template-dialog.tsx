import { useState } from 'preact/hooks';
import { MAX_PAGE_NAME } from '../../../contract/rules/limits.ts';
import type { Template, TemplateSummary } from '../../../contract/templates/templates.ts';
import { me } from '../../session.ts';
import { t, translated } from '../../texts/index.ts';
import { Dialog, Form, Switch, TextField } from '../../ui/index.ts';
import { getTemplate, listSteps, type Progress, publishTemplate } from './api.ts';
import { createAndOpen } from './created.ts';
import { TemplatePicture } from './picture.tsx';

/** Asks for a name, publishes the template and opens the page in the editor. */
export function TemplateDialog({ template, onClose }: { template: TemplateSummary; onClose: () => void }) {
  const [name, setName] = useState(translated({ text: template.title }));
  const [isPublished, setPublished] = useState(true);
  const [fault, setFault] = useState<string>();
  const [whole, setWhole] = useState<Template>();
  const [progress, setProgress] = useState<Progress>({ done: 0 });
  const create = async () => {
    const read = whole ?? (await getTemplate(template.key));
    setWhole(read);
    const wish = { template: read, name: name.trim(), username: me.value?.username ?? '', isPublished };
    return publishTemplate(wish, progress, setProgress);
  };
  const publish = async () => {
    setFault(undefined);
    setFault(await createAndOpen(create, isPublished));
  };
  return (
    <Dialog title={translated({ text: template.title })} onClose={onClose}>
      <Form
        submit={isPublished ? t('Publish page') : t('Create page')}
        onSubmit={publish}
        disabled={name.trim() === ''}
        onCancel={onClose}
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
        {whole && <Steps steps={listSteps(whole)} done={progress.done} />}
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
