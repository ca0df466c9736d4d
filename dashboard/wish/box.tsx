import { signal } from '@preact/signals';
import { useEffect, useId, useState } from 'preact/hooks';
import type { BuilderStatus } from '../../contract/agents/builder.ts';
import { builderEndpoints } from '../../contract/agents/builder-endpoints.ts';
import { MAX_BUILDER_PROMPT } from '../../contract/rules/builder-limits.ts';
import { call } from '../api.ts';
import { Link, navigate } from '../router.tsx';
import { me } from '../session.ts';
import { t } from '../texts/index.ts';
import { formatCredits, Icon, useLoad } from '../ui/index.ts';

/** Where a new page is built: at `<id>` below it. */
export const BUILD_SCREEN = '/pages/build';

/** What the builder is to make next. It starts when its screen is open, and takes it from here. */
export const wished = signal('');

/** What was typed stays until it is built. */
const typed = signal('');

/** Empties the box, because the builder has begun with this. What was typed since then stays. */
export function forgetWish(wish: string): void {
  if (typed.value.trim() === wish) typed.value = '';
}

/** What people can make, in a few words each. The start page suggests the same. */
const SUGGESTIONS = (): string[] => [
  t('A birthday party'),
  t('A quiz for my class'),
  t('A vote on where to eat'),
  t('Ideas for our office'),
  t('A guestbook for our wedding'),
  t('A waiting list for my app'),
];

/** In credits. */
const SIMPLE_PAGE = 10;

const readStatus = (signal: AbortSignal) => call(builderEndpoints.getBuilder, { signal });

/** What the box of this field does. What is asked before it is known whether there is a model waits for that. */
function useWish(id: string) {
  const { value: status, error } = useLoad(readStatus, []);
  const isKnown = status !== undefined || error !== undefined;
  const canBuild = status?.isAvailable === true && status.credits > 0;
  const [waiting, setWaiting] = useState<'start' | 'choose'>();
  const start = () => {
    const wish = typed.value.trim();
    if (wish === '') document.getElementById(id)?.focus();
    else if (!isKnown) setWaiting('start');
    else if (canBuild) build(wish);
    else tryTemplate(wish);
  };
  const choose = () => {
    if (!isKnown) setWaiting('choose');
    else if (canBuild) document.getElementById(id)?.focus();
    else start();
  };
  useEffect(() => {
    if (!isKnown || !waiting) return;
    setWaiting(undefined);
    if (waiting === 'start') start();
    else choose();
  }, [isKnown, waiting]);
  return { status, canBuild, isWaiting: waiting !== undefined, start, choose };
}

/**
 * “What do you want to make?” It can be placed anywhere. With a model and credits, the builder makes it, on a screen of
 * its own. Otherwise the nearest template is tried. The box itself is always the same.
 */
export function WishBox() {
  const id = useId();
  const { status, canBuild, isWaiting, start, choose } = useWish(id);
  return (
    <section class="wish-box" aria-label={t('What do you want to make?')}>
      <UnderWay pages={status?.underWay ?? []} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        <label for={id}>{t('What do you want to make?')}</label>
        <div class="wish-line">
          <textarea
            id={id}
            rows={canBuild ? 3 : 1}
            maxLength={MAX_BUILDER_PROMPT}
            value={typed.value}
            placeholder={t('A birthday party for Mia on Saturday')}
            aria-describedby={`${id}-hint`}
            onInput={(event) => {
              typed.value = event.currentTarget.value;
            }}
            onKeyDown={(event) => {
              const isSent = event.ctrlKey || event.metaKey || (!canBuild && !event.shiftKey);
              if (event.key !== 'Enter' || !isSent || event.isComposing) return;
              event.preventDefault();
              start();
            }}
          />
          <button type="submit" class="button primary" aria-busy={isWaiting}>
            {canBuild ? t('Build page') : t('Make it')}
          </button>
        </div>
        <Suggestions
          onChoose={(wish) => {
            typed.value = wish;
            choose();
          }}
        />
        <Hint id={`${id}-hint`} status={status} canBuild={canBuild} />
      </form>
    </section>
  );
}

/** Opens the screen of the builder, which starts there. */
function build(wish: string): void {
  wished.value = wish;
  navigate(BUILD_SCREEN);
}

/** Leaves the dashboard for the screen on which anyone can try what they want to make. */
function tryTemplate(wish: string): void {
  location.assign(`/try?wish=${encodeURIComponent(wish)}`);
}

function Suggestions({ onChoose }: { onChoose: (wish: string) => void }) {
  return (
    <ul class="wish-ideas" aria-label={t('Suggestions')}>
      {SUGGESTIONS().map((wish) => (
        <li key={wish}>
          <button type="button" onClick={() => onChoose(wish)}>
            {wish}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Pages that the builder is working on, which this person started here or on another device. */
function UnderWay({ pages }: { pages: BuilderStatus['underWay'] }) {
  if (pages.length === 0) return null;
  return (
    <ul class="wish-under-way" aria-label={t('Being built')}>
      {pages.map(({ id, name }) => (
        <li key={id}>
          <Link href={`${BUILD_SCREEN}/${id}`}>
            <Icon name="sparkle" size={18} />
            <span>{name}</span>
            <span class="faint">{t('Being built')}</span>
            <Icon name="chevron-right" size={18} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

interface HintProps {
  id: string;
  status: BuilderStatus | undefined;
  canBuild: boolean;
}

/** What happens next. Only administrators learn that there could be a model. */
function Hint({ id, status, canBuild }: HintProps) {
  const text = canBuild
    ? t('A simple page takes about {price} of your {credits} credits. You publish it when you like it.', {
        price: formatCredits(SIMPLE_PAGE),
        credits: formatCredits(status?.credits ?? 0),
      })
    : t('You try it first, and publish it when you like it.');
  return (
    <p class="hint" id={id}>
      {text}{' '}
      {status && !status.isAvailable && me.value?.isAdmin && (
        <Link class="wish-connect" href="/admin/providers">
          <Icon name="sparkle" size={14} />
          {t('Connect a model to build pages by describing them.')}
        </Link>
      )}
    </p>
  );
}
