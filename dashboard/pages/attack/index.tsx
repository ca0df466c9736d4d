import { useState } from 'preact/hooks';
import type { AttackReport, Finding } from '../../../contract/attack/attack.ts';
import { attackEndpoints } from '../../../contract/attack/endpoints.ts';
import { ATTACK_SECONDS } from '../../../contract/attack/kinds.ts';
import { call } from '../../api.ts';
import { t } from '../../texts/index.ts';
import { Button, Failure, Progress, Section } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { Plan } from './plan.tsx';
import { Report } from './report.tsx';

/** An attack can take longer than other requests. */
const ATTACK_MS = 180_000;

/** Attacks a copy of the page, and shows what invented people could do there. */
export function AttackScreen({ page }: { page: PageDetail }) {
  const [report, setReport] = useState<AttackReport>();
  const [failure, setFailure] = useState<Error>();
  const [isRunning, setRunning] = useState(false);
  const attack = async () => {
    setRunning(true);
    setFailure(undefined);
    try {
      const given = { params: { id: page.id }, validForMs: ATTACK_MS };
      setReport(await call(attackEndpoints.attackPage, given));
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setRunning(false);
    }
  };
  const mark = (finding: Finding, meant: Finding['meant']) =>
    report &&
    setReport({
      ...report,
      findings: report.findings.map((each) => (each.key === finding.key ? { ...each, meant } : each)),
    });
  return (
    <Section
      title={t('Attack')}
      hint={t('Find out what strangers can do with this page, before they do.')}
      actions={
        <Button kind={report ? 'quiet' : 'primary'} disabled={isRunning} onClick={attack}>
          {report ? t('Attack again') : t('Attack a copy')}
        </Button>
      }
    >
      {isRunning && (
        <Progress
          label={t('A copy is being attacked…')}
          note={t('at most {seconds} seconds', { seconds: ATTACK_SECONDS })}
        />
      )}
      {failure && <Failure error={failure} retry={attack} />}
      {report && !isRunning && <Report page={page} report={report} onMeant={mark} />}
      {(!report || saysLittle(report)) && <Plan page={page} />}
    </Section>
  );
}

/** Then what was tried is worth saying again. */
const saysLittle = ({ findings, matrix }: AttackReport) => findings.length === 0 && matrix.length === 0;
