import { useEffect, useRef, useState } from 'preact/hooks';
import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import { me } from '../../session.ts';
import { t } from '../../texts/index.ts';
import { formatCredits, IconButton, Show, Skeleton, useLoad } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import type { EditedPage } from '../editor/work/edited-page.ts';
import { getBuilder, listMessages } from './api.ts';
import { ChangeForm } from './change-form.tsx';
import { Checked } from './findings.tsx';
import { Progress } from './progress.tsx';
import { Proposal } from './proposal.tsx';
import { BuiltFunctions } from './result.tsx';
import { BuilderRun } from './run.ts';
import { sayEnd } from './words.ts';

interface ChatProps {
  page: PageDetail;
  work: EditedPage;
  onClose: () => void;
}

/** The chat beside the editor: it continues on the thread of the page, and proposes changes. */
export function BuilderChat({ page, work, onClose }: ChatProps) {
  const status = useLoad(getBuilder, []);
  return (
    <aside class="builder-chat" aria-label={t('Builder')}>
      <header>
        <h2>{t('Builder')}</h2>
        <IconButton icon="close" label={t('Close the builder')} onClick={onClose} />
      </header>
      <Show loaded={status} skeleton={<Skeleton lines={4} />}>
        {({ isAvailable, settings, credits }) =>
          isAvailable ? <Chat page={page} work={work} credits={credits} /> : <Missing settings={settings} />
        }
      </Show>
    </aside>
  );
}

function Missing({ settings }: { settings: string[] }) {
  return (
    <div class="builder-thread">
      <p>
        {t(
          'The builder changes a page from a description. It needs a language model that can call tools, and this server has none.',
        )}
      </p>
      <p class="hint">
        {me.value?.isAdmin
          ? t('To connect one, set {settings} and restart the server.', { settings: settings.join(', ') })
          : t('Ask your administrator to connect one.')}
      </p>
    </div>
  );
}

function Chat({ page, work, credits }: { page: PageDetail; work: EditedPage; credits: number }) {
  const [run] = useState(() => new BuilderRun());
  const state = run.state.value;
  const isRunning = state.status === 'running';
  // The thread has the last run too, as soon as that is done.
  const thread = useLoad((signal) => listMessages(page.id, signal), [page.id]);
  const end = useRef<HTMLDivElement>(null);
  // A run nobody can see would still cost credits.
  useEffect(() => () => run.reset(), []);
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [state, thread.value]);
  useEffect(() => {
    if (state.status === 'idle') void thread.reload();
  }, [state.status]);
  const send = async (prompt: string) => {
    work.settle();
    // With what the last run said.
    await thread.reload();
    // What the editor shows goes along, saved or not, unless a proposal continues.
    const html_content = state.draft === undefined ? work.textNow(INDEX_PATH) : undefined;
    await run.start({ prompt, draft: state.draft, html_content }, page.id);
  };
  return (
    <>
      <div class="builder-thread">
        <Show loaded={thread} skeleton={<Skeleton lines={4} />}>
          {({ messages }) => (
            <>
              {messages.length === 0 && state.status === 'idle' && (
                <p class="hint">
                  {t(
                    'Say what should change. The builder proposes it as a draft, and you accept or reject it.',
                  )}
                </p>
              )}
              {messages.map(({ id, role, content }) => (
                <p key={id} class={`builder-message ${role}`}>
                  {content}
                </p>
              ))}
            </>
          )}
        </Show>
        {state.status !== 'idle' && (
          <>
            <p class="builder-message user">{state.prompt}</p>
            <Progress run={run} />
            <Outcome run={run} page={page} work={work} />
          </>
        )}
        <div ref={end} />
      </div>
      <footer>
        <ChangeForm onSend={(prompt) => void send(prompt)} disabled={isRunning || credits <= 0} />
        <p class="hint">
          {t('{credits} credits left', { credits: formatCredits(state.end?.credits.remaining ?? credits) })}
        </p>
      </footer>
    </>
  );
}

function Outcome({ run, page, work }: { run: BuilderRun; page: PageDetail; work: EditedPage }) {
  const { status, failure, draft, end, check, functions } = run.state.value;
  if (status === 'running') return null;
  return (
    <>
      {failure !== undefined && (
        <div class="notice bad" role="alert">
          <p>{failure}</p>
        </div>
      )}
      {end && end.outcome !== 'finished' && <p class="notice warn">{sayEnd(end.outcome)}</p>}
      <BuiltFunctions slugs={functions} />
      {draft !== undefined && check && <Checked check={check.check} reason={check.reason} />}
      {draft !== undefined && <Proposal key={draft} run={run} page={page} work={work} draft={draft} />}
    </>
  );
}
