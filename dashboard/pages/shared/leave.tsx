import { useState } from 'preact/hooks';
import { navigate } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Button, ConfirmDialog, Section, say } from '../../ui/index.ts';
import { leaveTeam } from '../api.ts';

interface Left {
  id: number;
  name: string;
}

/** For those who work on a page of somebody else. */
export function LeaveSection({ page }: { page: Left }) {
  return (
    <Section
      id="leave"
      title={t('Leave the team')}
      hint={t('You lose access to the data and files of the page at once. What you added stays.')}
    >
      <LeaveButton page={page} />
    </Section>
  );
}

/** Leaves the team after a question. */
export function LeaveButton({ page }: { page: Left }) {
  const [isAsking, setAsking] = useState(false);
  const leave = async () => {
    await leaveTeam(page.id);
    say(t('You left the team of {name}.', { name: page.name }));
    navigate('/pages');
  };
  return (
    <>
      <Button kind="quiet" onClick={() => setAsking(true)}>
        {t('Leave team')}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t('Leave this team?')}
          action={t('Leave team')}
          onConfirm={leave}
          onClose={() => setAsking(false)}
        >
          <p>
            {t(
              'You lose access to the data and files of {name} at once. Records and files that you added stay. To come back, you need a new invite.',
              { name: page.name },
            )}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
