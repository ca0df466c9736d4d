import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Button, Show, Skeleton, useLoad } from '../../ui/index.ts';
import { listMessages } from './api.ts';
import { ChangeForm } from './change-form.tsx';
import { Outcome } from './outcome.tsx';
import { type BuilderRun, isWorking } from './run.ts';
import { Timeline } from './timeline.tsx';

/** How far from its end the conversation may be to follow it, in pixels. */
const NEAR_END = 120;

interface TalkProps {
  builder: BuilderRun;
  pageId: number | undefined;
  onSend: (prompt: string) => void | Promise<void>;
  /** Shown if nothing has been said yet. */
  empty?: ComponentChildren;
  /** Shown after how the last run ended. */
  children?: ComponentChildren;
  /** Below the field. */
  note?: ComponentChildren;
  canSend?: boolean;
}

/** The conversation with the builder about a page: what was said before, what happens now, and what to ask next. */
export function Talk({ builder, pageId, onSend, empty, children, note, canSend = true }: TalkProps) {
  const state = builder.state.value;
  const { run, status, wish } = state;
  const thread = useRef<HTMLDivElement>(null);
  useFollowing(thread, state);
  const isStarting = status === 'starting' && wish !== undefined;
  return (
    <>
      <div class="builder-thread" ref={thread} tabIndex={-1}>
        {pageId !== undefined && <Earlier pageId={pageId} before={run?.message ?? undefined} run={run?.id} />}
        {run === null && !isStarting && empty}
        {run && (
          <>
            <p class="builder-message user">{run.prompt}</p>
            <Timeline state={state} run={run} />
          </>
        )}
        {!isStarting && <Outcome builder={builder} />}
        {isStarting && (
          <>
            <p class="builder-message user">{wish.prompt}</p>
            <p class="hint" role="status">
              {t('Starting…')}
            </p>
          </>
        )}
        {!isWorking(state) && children}
      </div>
      <footer class="builder-foot">
        {isWorking(state) ? (
          <Button kind="quiet" icon="stop" onClick={builder.stop} disabled={state.isStopping}>
            {state.isStopping ? t('Stopping…') : t('Stop')}
          </Button>
        ) : (
          <ChangeForm onSend={onSend} disabled={!canSend} />
        )}
        {note}
      </footer>
    </>
  );
}

/** What was said in earlier runs. */
function Earlier({
  pageId,
  before,
  run,
}: {
  pageId: number;
  before: number | undefined;
  run: string | undefined;
}) {
  const loaded = useLoad((signal) => listMessages(pageId, signal), [pageId, run]);
  return (
    <Show loaded={loaded} skeleton={<Skeleton lines={2} />}>
      {({ messages }) => (
        <>
          {messages
            .filter(({ id }) => before === undefined || id < before)
            .map(({ id, role, content }) => (
              <p key={id} class={`builder-message ${role}`}>
                {content}
              </p>
            ))}
        </>
      )}
    </Show>
  );
}

/** Keeps the end of the conversation in view, unless the person has scrolled up. */
function useFollowing(thread: { current: HTMLElement | null }, state: unknown): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = thread.current;
    if (!element) return;
    const note = () => {
      const { scrollHeight, scrollTop, clientHeight } = element;
      isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
    };
    element.addEventListener('scroll', note, { passive: true });
    return () => element.removeEventListener('scroll', note);
  }, []);
  useEffect(() => {
    const element = thread.current;
    if (element && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [state]);
}
