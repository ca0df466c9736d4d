import { useState } from 'preact/hooks';
import { Link, navigate } from '../../../router.tsx';
import { t } from '../../../texts/index.ts';
import { ACCESS_NAMES, Button, formatMoment, Section } from '../../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../../api.ts';
import type { Branch } from '../api.ts';
import { DeleteDialog, RenameDialog } from '../dialogs.tsx';
import { WithBranch } from '../found.tsx';
import { DATA_WORDS } from '../words.ts';
import { BranchFunctions } from './functions.tsx';
import { OutboxSection } from './outbox.tsx';

/** What a branch has of its own: where it comes from, its functions with their secrets, and its mail. */
export function BranchScreen({ page, onRenamed }: { page: PageDetail; onRenamed: () => Promise<void> }) {
  const isOwner = page.role === 'owner';
  return (
    <WithBranch page={page}>
      {(branch) => (
        <>
          <About branch={branch} isOwner={isOwner} onRenamed={onRenamed} />
          {isOwner && <BranchFunctions branch={branch} />}
          {isOwner && <OutboxSection branch={branch} />}
        </>
      )}
    </WithBranch>
  );
}

interface AboutProps {
  branch: Branch;
  isOwner: boolean;
  onRenamed: () => Promise<void>;
}

function About({ branch, isOwner, onRenamed }: AboutProps) {
  const [asked, setAsked] = useState<'rename' | 'delete'>();
  const { name, of, page, base, data, access, by, created_at } = branch;
  const close = () => setAsked(undefined);
  return (
    <Section
      title={t('The branch {name}', { name })}
      hint={t(
        'Schedules are paused here, mail is not sent, and secrets are empty until you set them. Nothing of this reaches the visitors of your page.',
      )}
      actions={
        isOwner && (
          <>
            <Button kind="quiet" onClick={() => setAsked('rename')}>
              {t('Rename')}
            </Button>
            <Button kind="quiet" onClick={() => setAsked('delete')}>
              {t('Delete')}
            </Button>
          </>
        )
      }
    >
      <dl class="branch-facts">
        <div>
          <dt>{t('Starts from')}</dt>
          <dd>{formatMoment(base)}</dd>
        </div>
        <div>
          <dt>{t('Records and tables')}</dt>
          <dd>{DATA_WORDS[data].title}</dd>
        </div>
        <div>
          <dt>{t('Who can see it')}</dt>
          <dd>
            <Link href={`${toPageScreen(page.id, 'settings')}#access`}>{ACCESS_NAMES[access.mode]}</Link>
          </dd>
        </div>
        <div>
          <dt>{t('Made')}</dt>
          <dd>
            {by
              ? t('{moment} by {name}', { moment: formatMoment(created_at), name: by })
              : formatMoment(created_at)}
          </dd>
        </div>
      </dl>
      {asked === 'rename' && <RenameDialog branch={branch} onDone={() => void onRenamed()} onClose={close} />}
      {asked === 'delete' && (
        <DeleteDialog branch={branch} onDone={() => navigate(toPageScreen(of))} onClose={close} />
      )}
    </Section>
  );
}
