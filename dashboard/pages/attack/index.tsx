import type { AttackReport } from '../../../contract/attack/attack.ts';
import { ATTACK_SECONDS } from '../../../contract/attack/kinds.ts';
import { t } from '../../texts/index.ts';
import { Button, Failure, Progress, Section, Skeleton } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { Plan } from './plan.tsx';
import { Report } from './report.tsx';
import { useAttack } from './use-attack.ts';

/** Attacks a copy of the page, and shows what invented people could do there. */
export function AttackScreen({ page }: { page: PageDetail }) {
  const { isRunning, failure, last, read, attack, mark } = useAttack(page.id);
  const isLoading = last === undefined && !failure && !isRunning;
  return (
    <Section
      title={t('Attack')}
      hint={t('Find out what strangers can do with this page, before they do.')}
      actions={
        <Button kind={last ? 'quiet' : 'primary'} disabled={isRunning || isLoading} onClick={attack}>
          {last ? t('Attack again') : t('Attack a copy')}
        </Button>
      }
    >
      {isRunning && (
        <Progress
          label={t('A copy is being attacked…')}
          note={t('at most {seconds} seconds', { seconds: ATTACK_SECONDS })}
        />
      )}
      {failure && <Failure error={failure} retry={last === undefined ? read : attack} />}
      {isLoading && <Skeleton />}
      {last && !isRunning && <Report page={page} report={last} onMeant={mark} />}
      {!isLoading && (!last || saysLittle(last)) && <Plan page={page} />}
    </Section>
  );
}

/** Then what was tried is worth saying again. */
const saysLittle = ({ findings, matrix }: AttackReport) => findings.length === 0 && matrix.length === 0;
