import { useState } from 'preact/hooks';
import { me } from '../../session.ts';
import { t } from '../../texts/index.ts';
import { FullScreenButton, useFullScreen } from '../../ui/bar/index.ts';
import { Choice, Icon, type IconName, lazy, TakenDownNotice } from '../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../api.ts';
import { useBuilderOffered } from '../builder/available.ts';
import { wasStartedOn } from '../builder/on-branch.ts';
import type { DraftDetail } from '../drafts/api.ts';
import { useOpenedDraft } from '../drafts/opened.ts';
import { EditorSkeleton, PageBar, type PageBarProps } from '../page-bar.tsx';
import { SamplesNotice } from '../samples.tsx';
import { ConflictDialog } from './conflict.tsx';
import { Messages } from './messages.tsx';
import { Panes, usePanes } from './panes.tsx';
import { PublishButton } from './publish-button.tsx';
import { MovedOnDialog, NoteDialog } from './publish-dialogs.tsx';
import { useSaveKeys } from './save-key.ts';
import { WorkState } from './state.tsx';
import { usePlace } from './use-place.ts';
import type { Mode } from './visual/mode.ts';
import { Warnings } from './warnings.tsx';
import { useEditedPage } from './work/use-edited-page.ts';

const BuilderChat = lazy(() => import('../builder/chat.tsx').then((file) => file.BuilderChat));

interface EditorProps {
  bar: PageBarProps;
  page: PageDetail;
  onSaved: (page: PageDetail) => void;
}

/** The HTML and the files of a page or of a draft, with a preview. */
export function EditorScreen(props: EditorProps) {
  // What is not saved is stored per user, so the user must be known first.
  return me.value ? <OpenedEditor {...props} userId={me.value.id} /> : <EditorSkeleton bar={props.bar} />;
}

/** Opens the draft that was open in this browser the last time. */
function OpenedEditor(props: EditorProps & { userId: number }) {
  const { opened, draftCount, leaveDraft } = useOpenedDraft(props.page, props.userId);
  if (!opened) return <EditorSkeleton bar={props.bar} />;
  return (
    <PageEditor
      key={opened.key}
      {...props}
      draft={opened.draft}
      draftCount={draftCount}
      onLeaveDraft={leaveDraft}
    />
  );
}

interface OpenedProps extends EditorProps {
  userId: number;
  draft: DraftDetail | undefined;
  draftCount: number;
  onLeaveDraft: () => void;
}

function PageEditor({ bar, page, onSaved, userId, draft, draftCount, onLeaveDraft }: OpenedProps) {
  const work = useEditedPage(page, userId, onSaved, draft);
  const panes = usePanes(work, userId, page.id);
  const [hasChat, setChat] = useState(() => wasStartedOn(page.id));
  const [isAsking, setAsking] = useState(false);
  usePlace(work, panes.goTo);
  useSaveKeys(work);
  useFullScreen();
  return (
    <div class="page-editor">
      <PageBar
        {...bar}
        state={<WorkState {...{ work, draftCount }} isTakenDown={page.taken_down !== undefined} />}
        actions={
          <>
            <ModeChoice panes={panes} />
            <PaneToggle
              class="page-files-toggle"
              icon="sidebar"
              label={t('Files')}
              tip={panes.hasFiles ? t('Hide files') : t('Show files')}
              isShown={panes.hasFiles}
              onToggle={panes.toggleFiles}
            />
            <BuilderToggle isShown={hasChat} onToggle={() => setChat(!hasChat)} />
            <FullScreenButton />
            <PublishButton
              work={work}
              onCheck={page.role === 'owner' ? panes.check : undefined}
              onNote={() => setAsking(true)}
              onBuilder={() => setChat(true)}
              onLeaveDraft={onLeaveDraft}
              versions={toPageScreen(page.id, 'versions')}
            />
          </>
        }
      />
      {page.taken_down && <TakenDownNotice what="page" {...page.taken_down} />}
      <SamplesNotice pageId={page.id} />
      <Messages work={work} />
      <Warnings work={work} goTo={panes.goTo} />
      <div class="page-editor-body">
        <div class="page-panes">
          <Panes page={page} work={work} panes={panes} />
        </div>
        {hasChat && <BuilderChat page={page} work={work} onClose={() => setChat(false)} />}
      </div>
      {work.conflicts.length > 0 && <ConflictDialog work={work} />}
      {work.movedOn && <MovedOnDialog work={work} movedOn={work.movedOn} />}
      {isAsking && <NoteDialog work={work} onClose={() => setAsking(false)} />}
    </div>
  );
}

/** The page that can be changed by clicking, or its code. A phone has this choice below the bar. */
function ModeChoice({ panes }: { panes: ReturnType<typeof usePanes> }) {
  return (
    <Choice<Mode>
      class="page-mode"
      label={t('Editor')}
      value={panes.mode}
      options={[
        ['page', t('Page')],
        ['code', t('Code')],
      ]}
      onChoose={panes.choose}
    />
  );
}

function BuilderToggle({ isShown, onToggle }: Pick<PaneToggleProps, 'isShown' | 'onToggle'>) {
  if (!useBuilderOffered()) return null;
  return (
    <PaneToggle
      class="bar-wide"
      icon="sparkle"
      label={t('Builder')}
      tip={isShown ? t('Close the builder') : t('Describe a change')}
      {...{ isShown, onToggle }}
    />
  );
}

interface PaneToggleProps {
  icon: IconName;
  label: string;
  tip: string;
  isShown: boolean;
  onToggle: () => void;
  class?: string;
}

function PaneToggle({ icon, label, tip, isShown, onToggle, class: names = '' }: PaneToggleProps) {
  return (
    <button
      type="button"
      class={`bar-button ${names}`}
      aria-pressed={isShown}
      aria-label={label}
      data-tip={tip}
      onClick={onToggle}
    >
      <Icon name={icon} size={18} />
    </button>
  );
}
