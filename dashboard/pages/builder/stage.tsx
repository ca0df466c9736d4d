import { useState } from 'preact/hooks';
import { MAX_PAGE_NAME } from '../../../contract/rules/limits.ts';
import { t } from '../../texts/index.ts';
import { EditableName, FullScreenButton, ScreenBar, useFullScreen } from '../../ui/bar/index.ts';
import { Icon, useLoad } from '../../ui/index.ts';
import { getPage, type PageDetail, patchPage } from '../api.ts';
import { NameDialog, StageActions } from './actions.tsx';
import { loadSaved } from './drawing/saved.ts';
import { StagePreview } from './drawing/stage-preview.tsx';
import { type BuilderRun, isWorking, type RunState } from './run.ts';
import { Talk } from './talk.tsx';
import { sayNow } from './timeline.tsx';

/** The conversation beside the page. On a phone the page comes first, and the conversation is a sheet. */
export function Stage({ builder, id }: { builder: BuilderRun; id: number | undefined }) {
  const state = builder.state.value;
  const { run } = state;
  const [isOpened, setOpened] = useState<boolean>();
  useFullScreen();
  const loaded = useLoad(
    async (signal) => (id === undefined ? undefined : getPage(id, signal)),
    [id, run?.page.name, run?.page.slug],
  );
  const page = loaded.value;
  const saved = useLoad(
    async (signal) => page && loadSaved(page, run, signal),
    [page?.id, page?.versionCount, run?.draft?.draft, run?.draft?.revision],
  ).value;
  // On a phone the page comes first, as soon as there is one, unless something went wrong.
  const hasPage = saved !== undefined || (run?.html ?? '') !== '';
  const isOpen = isOpened ?? (!hasPage || isBad(state));
  const send = (prompt: string) => {
    if (id === undefined) return;
    const draft = saved?.draft;
    void builder.start({ prompt, ...(draft !== undefined && { draft }) }, id);
  };
  return (
    <div class="builder-stage">
      <StageBar builder={builder} page={page} draft={saved?.draft} onChanged={() => void loaded.reload()} />
      <div class={`builder-panes ${isOpen ? 'open' : ''}`}>
        <section class="builder-talk" aria-label={t('Conversation')}>
          <button
            type="button"
            class="builder-grip"
            aria-expanded={isOpen}
            onClick={() => setOpened(!isOpen)}
          >
            <Now state={state} />
            <Icon name={isOpen ? 'chevron-down' : 'chevron-up'} size={18} />
          </button>
          <Talk builder={builder} pageId={id} onSend={send} canSend={id !== undefined} />
        </section>
        <StagePreview page={page} run={run} saved={saved} isWorking={isWorking(state)} />
      </div>
    </div>
  );
}

interface BarProps {
  builder: BuilderRun;
  page: PageDetail | undefined;
  draft: number | undefined;
  onChanged: () => void;
}

function StageBar({ builder, page, draft, onChanged }: BarProps) {
  const state = builder.state.value;
  const [isRenaming, setRenaming] = useState(false);
  const name = page?.name ?? state.run?.page.name ?? t('New page');
  const rename = async (next: string) => {
    if (!page) return;
    await patchPage(page.id, { name: next });
    onChanged();
  };
  return (
    <ScreenBar
      title={name}
      back={{ href: '/pages', label: t('pages') }}
      name={page && <EditableName name={name} maxLength={MAX_PAGE_NAME} onRename={rename} />}
      facts={
        <>
          {page && (
            <button
              type="button"
              class="bar-button builder-address"
              title={t('Change name and address')}
              onClick={() => setRenaming(true)}
            >
              <span>/p/{page.slug}</span>
              <Icon name="edit" size={14} />
            </button>
          )}
          <Now state={state} />
        </>
      }
      actions={
        page && (
          <>
            <FullScreenButton />
            <StageActions {...{ builder, page, draft }} onRename={() => setRenaming(true)} />
            {isRenaming && (
              <NameDialog
                page={page}
                onClose={() => setRenaming(false)}
                onDone={() => {
                  setRenaming(false);
                  onChanged();
                }}
              />
            )}
          </>
        )
      }
    />
  );
}

const isBad = ({ status, run }: RunState) =>
  status === 'refused' || run?.state === 'failed' || run?.state === 'lost';

/** What happens now, with a dot that pulses while something does. */
function Now({ state }: { state: RunState }) {
  const said = state.isConnected ? sayNow(state) : t('Connecting again…');
  if (said === '') return <span class="builder-now" />;
  return (
    <span class={`builder-now ${isWorking(state) ? 'working' : isBad(state) ? 'bad' : 'ready'}`}>
      <span>{said}</span>
    </span>
  );
}
