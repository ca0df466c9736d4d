import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { BuilderStatus } from '../../../contract/agents/builder.ts';
import { MAX_BUILDER_PROMPT } from '../../../contract/rules/builder-limits.ts';
import { navigate } from '../../router.tsx';
import { me } from '../../session.ts';
import { rich, t } from '../../texts/index.ts';
import { formatCredits, Icon, Show, useLoad } from '../../ui/index.ts';
import { getBuilder } from './api.ts';
import { BuilderRun } from './run.ts';

/** Where a new page is built. */
export const BUILD_SCREEN = '/pages/build';

/** The page that is being built. There is one at a time, and it goes on when the person leaves the screen. */
export const newPage = new BuilderRun();

/** What was typed stays until it is built. */
const typed = signal('');

/** What a button says, and what it writes into the box. */
const EXAMPLES = (): [string, string][] => [
  [t('A bakery'), t('A page for my bakery with opening hours, prices of bread and cake, and a contact form')],
  [
    t('A summer party'),
    t('A sign-up sheet for a summer party where guests say what they bring, and see what others bring'),
  ],
  [
    t('A portfolio'),
    t('A portfolio with six projects, calm and spacious, light and dark, with a form for enquiries'),
  ],
  [t('A quiz'), t('A quiz about space with ten questions and a list of the best scores')],
];

/** “Describe your page”. It can be placed anywhere; what it starts is shown on a screen of its own. */
export function DescribeBox({ templates }: { templates?: ComponentChildren }) {
  const loaded = useLoad(getBuilder, []);
  return (
    <section class="builder-box" aria-label={t('Describe your page')}>
      <Show
        loaded={loaded}
        skeleton={<div class="builder-box-wait" role="status" aria-label={t('Loading')} />}
      >
        {(status) =>
          status.isAvailable ? <Box status={status} /> : <Unavailable status={status} templates={templates} />
        }
      </Show>
    </section>
  );
}

function Box({ status }: { status: BuilderStatus }) {
  const id = useId();
  const isPoor = status.credits <= 0;
  const isReady = typed.value.trim() !== '' && !isPoor;
  const start = () => {
    if (!isReady) return;
    const prompt = typed.value.trim();
    typed.value = '';
    void newPage.start({ prompt });
    navigate(BUILD_SCREEN);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      <label for={id}>
        <Icon name="sparkle" size={18} /> {t('Describe your page')}
      </label>
      <textarea
        id={id}
        rows={3}
        maxLength={MAX_BUILDER_PROMPT}
        value={typed.value}
        placeholder={t('What is it about, who is it for, and what can people do there?')}
        aria-describedby={`${id}-price`}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) start();
        }}
      />
      <Examples
        onChoose={(example) => {
          typed.value = example;
          document.getElementById(id)?.focus();
        }}
      />
      <div class="actions">
        <button type="submit" class="button primary" disabled={!isReady}>
          {t('Build page')}
        </button>
        <p class="hint" id={`${id}-price`}>
          {isPoor
            ? t('You have no credits. Ask your administrator for some.')
            : t(
                'A simple page takes about {price} of your {credits} credits. You publish it when you like it.',
                {
                  price: formatCredits(SIMPLE_PAGE),
                  credits: formatCredits(status.credits),
                },
              )}
        </p>
      </div>
    </form>
  );
}

function Examples({ onChoose }: { onChoose: (example: string) => void }) {
  return (
    <ul class="builder-examples" aria-label={t('Examples')}>
      {EXAMPLES().map(([label, example]) => (
        <li key={label}>
          <button type="button" onClick={() => onChoose(example)}>
            {label}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** In credits. */
const SIMPLE_PAGE = 10;

function Unavailable({ status, templates }: { status: BuilderStatus; templates: ComponentChildren }) {
  return (
    <>
      <h2>
        <Icon name="sparkle" size={18} /> {t('Describe your page')}
      </h2>
      <p>
        {t(
          'The builder makes a page from a description. It needs a language model that can call tools, and this server has none.',
        )}
      </p>
      {me.value?.isAdmin ? (
        <p class="hint">
          {rich(
            'To connect one, set {settings} and restart the server. <a>How to connect a provider</a>',
            {
              a: (text) => (
                <a href="/docs/providers" target="_blank" rel="noopener">
                  {text}
                </a>
              ),
            },
            { settings: status.settings.join(', ') },
          )}
        </p>
      ) : (
        <p class="hint">{t('Ask your administrator to connect one. Until then, start with a template.')}</p>
      )}
      {templates}
    </>
  );
}
