import { useEffect, useState } from 'preact/hooks';
import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import { t } from '../../texts/index.ts';
import { formatCredits, IconButton, Show, Skeleton, useLoad } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import type { EditedPage } from '../editor/work/edited-page.ts';
import { getBuilder } from './api.ts';
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
  const send = (prompt: string) => {
    work.settle();
    // What the editor shows goes along, saved or not, unless a proposal continues.
    const wish = isOpen ? { prompt, draft } : { prompt, html_content: work.textNow(INDEX_PATH) };
    void builder.start(wish, page.id);
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
        <p class="hint">
          {t('{credits} credits left', { credits: formatCredits(run?.end?.credits.remaining ?? credits) })}
        </p>
      }
    >
      {isOver && isOpen && (
        <Proposal
          key={`${draft} ${run.id}`}
          page={page}
          work={work}
          draft={draft}
          functions={run.functions}
          onSettled={() => setSettled(draft)}
        />
      )}
    </Talk>
  );
}
