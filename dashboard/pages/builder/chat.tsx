import { useEffect, useState } from 'preact/hooks';
import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import { navigate } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { formatCredits, IconButton, Show, Skeleton, Switch, say, useLoad } from '../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../api.ts';
import type { EditedPage } from '../editor/work/edited-page.ts';
import { getBuilder, type Wish } from './api.ts';
import { startOnBranch } from './on-branch.ts';
import { ConnectModel } from './outcome.tsx';
import { Proposal } from './proposal.tsx';
import { BuilderRun, isWorking } from './run.ts';
import { Talk } from './talk.tsx';

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
        {({ isAvailable, credits }) =>
          isAvailable ? (
            <Chat page={page} work={work} credits={credits} />
          ) : (
            <div class="builder-thread">
              <ConnectModel />
            </div>
          )
        }
      </Show>
    </aside>
  );
}

/** Where the builder works if others use the page. It reads invented names and texts there. */
const BRANCH = { name: 'builder', data: 'masked' } as const;

/** Whether the builder could change what visitors use before a person has looked at it. */
const needsBranch = ({ role, branch, is_published, functions, storageMode }: PageDetail) =>
  role === 'owner' && !branch && is_published && (functions.length > 0 || storageMode !== 'page');

/** Whether the next wish goes to a branch, and the way there. */
function useBranching(page: PageDetail) {
  const [isOn, setOn] = useState(true);
  const [isMaking, setMaking] = useState(false);
  const start = async (wish: Wish) => {
    setMaking(true);
    const { id, name } = await startOnBranch(page, BRANCH, wish).finally(() => setMaking(false));
    say(t('You are on the branch {name} now.', { name }));
    navigate(toPageScreen(id));
  };
  return { isOffered: needsBranch(page), isOn, isMaking, setOn, start };
}

function BranchChoice({ isOn, isMaking, setOn }: ReturnType<typeof useBranching>) {
  if (isMaking)
    return (
      <p class="hint" role="status">
        {t('Making the branch…')}
      </p>
    );
  return (
    <Switch
      label={t('Work on a branch')}
      hint={t('The page, its functions and its data stay as they are until you merge it.')}
      checked={isOn}
      onChange={setOn}
    />
  );
}

function Chat({ page, work, credits }: { page: PageDetail; work: EditedPage; credits: number }) {
  const [builder] = useState(() => new BuilderRun());
  const { run } = builder.state.value;
  const isOver = run && !isWorking(builder.state.value);
  const draft = run?.draft?.draft;
  /** The proposal that was accepted or rejected: it is not shown again. */
  const [settled, setSettled] = useState<number>();
  useEffect(() => {
    builder.open(page.id);
    return builder.close;
  }, [page.id]);
  const isOpen = draft !== undefined && draft !== settled;
  const branching = useBranching(page);
  const isOffered = !isOpen && branching.isOffered;
  const send = async (prompt: string) => {
    work.settle();
    // What the editor shows goes along, saved or not, unless a proposal continues.
    const wish = isOpen ? { prompt, draft } : { prompt, html_content: work.textNow(INDEX_PATH) };
    if (isOffered && branching.isOn) await branching.start(wish);
    else void builder.start(wish, page.id);
  };
  return (
    <Talk
      builder={builder}
      pageId={page.id}
      onSend={send}
      canSend={credits > 0}
      empty={
        <p class="hint">
          {t('Say what should change. The builder proposes it as a draft, and you accept or reject it.')}
        </p>
      }
      note={
        <>
          {isOffered && <BranchChoice {...branching} />}
          <p class="hint">
            {t('{credits} credits left', { credits: formatCredits(run?.end?.credits.remaining ?? credits) })}
          </p>
        </>
      }
    >
      {isOver && isOpen && (
        <Proposal
          key={`${draft} ${run.id}`}
          page={page}
          work={work}
          draft={draft}
          functions={run.functions}
          changes={run.changes ?? []}
          onSettled={() => setSettled(draft)}
        />
      )}
    </Talk>
  );
}
