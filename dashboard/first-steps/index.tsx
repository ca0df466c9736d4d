import type { FirstStep, FirstSteps } from '../../contract/admin/first-steps.ts';
import { serviceEndpoints } from '../../contract/admin/service-endpoints.ts';
import { call } from '../api.ts';
import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';
import { Button, Icon, type IconName, say, useLoad } from '../ui/index.ts';

export const readFirstSteps = (signal: AbortSignal) => call(serviceEndpoints.getFirstSteps, { signal });
const hideFirstSteps = () => call(serviceEndpoints.hideFirstSteps, { body: { isHidden: true } });

interface Step {
  icon: IconName;
  title: string;
  why: string;
  action: string;
  href: string;
}

const STEPS: Record<FirstStep, Step> = {
  look: {
    icon: 'star',
    title: t('Name and color'),
    why: t('Make this server look like yours.'),
    action: t('Choose'),
    href: '/admin/instance',
  },
  model: {
    icon: 'sparkle',
    title: t('A model'),
    why: t('Lets people build pages by describing them.'),
    action: t('Connect'),
    href: '/admin/providers/chat',
  },
  mail: {
    icon: 'mail',
    title: t('Mail'),
    why: t('For forgotten passwords, invites and messages.'),
    action: t('How to'),
    href: '/docs/mail',
  },
  backup: {
    icon: 'history',
    title: t('A backup'),
    why: t('So that nothing is lost with this machine.'),
    action: t('Make one'),
    href: '/admin/backups',
  },
  administrator: {
    icon: 'people',
    title: t('A second administrator'),
    why: t('Somebody who can help if you are away.'),
    action: t('Choose'),
    href: '/admin/users',
  },
};

/** What the administrator of a new server does first. Nothing when it is done or hidden. */
export function FirstStepsList() {
  const loaded = useLoad(readFirstSteps, []);
  if (!loaded.value || !isToDo(loaded.value)) return null;
  const { steps } = loaded.value;
  const hide = async () => {
    await hideFirstSteps();
    await loaded.reload();
    say(t('Hidden. What is missing stays in the overview of the administration.'));
  };
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <section class="section first-steps" aria-labelledby="first-steps">
      <header>
        <div>
          <h2 id="first-steps">{t('Set up this server')}</h2>
          <p class="hint">{t('{done} of {all} done', { done, all: steps.length })}</p>
        </div>
        <Button kind="bare" onClick={hide} label={t('Hide this list')}>
          {t('Hide')}
        </Button>
      </header>
      <progress
        max={steps.length}
        value={done}
        aria-label={t('{done} of {all} done', { done, all: steps.length })}
      />
      <ol>
        {steps.map(({ name, isDone }) => (
          <StepRow key={name} step={STEPS[name]} isDone={isDone} />
        ))}
      </ol>
    </section>
  );
}

/** Whether the list is shown. */
export const isToDo = ({ steps, isHidden }: FirstSteps) => !isHidden && steps.some(({ isDone }) => !isDone);

function StepRow({ step, isDone }: { step: Step; isDone: boolean }) {
  const { icon, title, why, action, href } = step;
  return (
    <li class={isDone ? 'done' : ''}>
      <Icon name={isDone ? 'check' : icon} />
      <div>
        <strong>{title}</strong>
        {isDone ? <span class="for-readers">{t('Done')}</span> : <p class="hint">{why}</p>}
      </div>
      {!isDone && <StepLink href={href} label={`${title}: ${action}`} text={action} />}
    </li>
  );
}

function StepLink({ href, label, text }: { href: string; label: string; text: string }) {
  if (!href.startsWith('/docs/'))
    return (
      <Link href={href} class="button quiet" aria-label={label}>
        {text}
      </Link>
    );
  return (
    <a href={href} class="button quiet" aria-label={label} target="_blank" rel="noopener">
      {text}
    </a>
  );
}
