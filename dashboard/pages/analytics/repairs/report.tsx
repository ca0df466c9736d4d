import { REPAIR_STEPS } from '../../../../contract/repairs/kinds.ts';
import type { Evidence, Repair, Replay } from '../../../../contract/repairs/repairs.ts';
import { DOUBT_WORDS, OUTCOME_WORDS, STEP_WORDS } from '../../../../contract/repairs/words.ts';
import { Link } from '../../../router.tsx';
import { sayMessage, t, translated } from '../../../texts/index.ts';
import { Button, formatCredits, Progress } from '../../../ui/index.ts';
import { toPageScreen } from '../../api.ts';
import { sayFinding } from '../../attack/words.ts';

interface ReportProps {
  repair: Repair;
  onCancel: () => Promise<void>;
}

/** How far a repair is, or what came of it, with its evidence. */
export function RepairReport({ repair, onCancel }: ReportProps) {
  if (repair.state === 'running') return <Running repair={repair} onCancel={onCancel} />;
  const { outcome, doubts, reason, branch, said, credits } = repair;
  return (
    <div class="page-repair" role="status">
      <p class={`notice ${outcome === 'repaired' ? 'good' : 'warn'}`}>
        {outcome && translated(OUTCOME_WORDS[outcome])}
        {doubts.map((doubt) => ` ${translated(DOUBT_WORDS[doubt])}`)}
        {reason && ` ${sayMessage({ error: reason.message, ...reason })}`}
      </p>
      <Proof evidence={repair.evidence} />
      {said && (
        <details>
          <summary>{t('What the builder says')}</summary>
          <p class="page-repair-said">{said}</p>
        </details>
      )}
      {credits > 0 && (
        <p class="hint">{t('Credits spent: {credits}', { credits: formatCredits(credits) })}</p>
      )}
      {branch && (
        <div class="actions">
          <Link class="button primary" href={toPageScreen(branch.id)}>
            {t('Look at the copy')}
          </Link>
          <a class="button quiet" href={branch.url} target="_blank" rel="noreferrer">
            {t('Open it')}
          </a>
        </div>
      )}
    </div>
  );
}

function Running({ repair, onCancel }: ReportProps) {
  const at = REPAIR_STEPS.indexOf(repair.step);
  return (
    <div class="page-repair" role="status">
      <Progress label={`${translated(STEP_WORDS[repair.step])}…`} done={at} total={REPAIR_STEPS.length} />
      <div class="actions">
        <Button kind="quiet" onClick={onCancel}>
          {t('Stop the repair')}
        </Button>
      </div>
    </div>
  );
}

function Proof({ evidence: { before, after, check, attack, changes } }: { evidence: Evidence }) {
  if (!before) return null;
  return (
    <details>
      <summary>{t('The proof')}</summary>
      <dl class="page-repair-proof">
        <dt>{t('Before')}</dt>
        <dd>
          <Tried replay={before} />
        </dd>
        {after && (
          <>
            <dt>{t('After')}</dt>
            <dd>
              <Tried replay={after} />
            </dd>
          </>
        )}
        {check && (
          <>
            <dt>{t('Errors when it is opened')}</dt>
            <dd>{t('{before} before, {after} after', { before: check.before, after: check.after })}</dd>
          </>
        )}
        {attack && (
          <>
            <dt>{t('Attack')}</dt>
            <dd>
              {attack.findings.length === 0
                ? t('Nothing new that is serious')
                : sayAttack(attack).map((title) => <p key={title}>{title}</p>)}
            </dd>
          </>
        )}
      </dl>
      {changes.map(({ path, diff }) => (
        <figure key={path}>
          <figcaption>{path}</figcaption>
          <pre>{diff}</pre>
        </figure>
      ))}
    </details>
  );
}

/** Repairs of earlier releases have only the titles, in English. */
const sayAttack = ({ findings, new: found }: NonNullable<Evidence['attack']>): string[] =>
  found?.map((each) => sayFinding(each, 'title')) ?? findings;

function Tried({ replay: { failed, tries, error, steps, screenshot } }: { replay: Replay }) {
  return (
    <>
      {failed
        ? t('{count|It failed at the first try|It failed, in {count} tries}', { count: tries })
        : t('{count|It did not fail in one try|It did not fail in {count} tries}', { count: tries })}
      {error && <code>{error}</code>}
      {steps.length > 0 && (
        <ol>
          {steps.map(({ step, state }, index) => (
            <li key={index} class={state === 'done' ? undefined : 'faint'}>
              {step}
            </li>
          ))}
        </ol>
      )}
      {screenshot && (
        <a href={screenshot} target="_blank" rel="noreferrer">
          {t('The picture')}
        </a>
      )}
    </>
  );
}
