import type { AttackReport, Finding, PageAttack } from '../../../contract/attack/attack.ts';
import { attackEndpoints } from '../../../contract/attack/endpoints.ts';
import { readReason } from '../../../contract/attack/words.ts';
import { call } from '../../api.ts';
import { navigate } from '../../router.tsx';
import { me } from '../../session.ts';
import { t, translated } from '../../texts/index.ts';
import { Badge, Button, type Column, formatDuration, formatMoment, say, Table } from '../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../api.ts';
import { repairOnBranch } from './repair.ts';
import { sayFinding } from './words.ts';

interface ReportProps {
  page: PageDetail;
  report: PageAttack;
  onMeant: (finding: Finding, meant: Finding['meant']) => void;
}

/** What invented people could do, the most serious first. */
export function Report({ page, report, onMeant }: ReportProps) {
  const { findings, matrix, left, durationMs, version, at } = report;
  const hasTeam = page.storageMode === 'team_app';
  return (
    <div class="page-attack" role="status">
      {findings.length === 0 ? (
        <p class="notice good">{t('Nothing was found. That does not prove that there is nothing.')}</p>
      ) : (
        <ol>
          {findings.toSorted(byWeight).map((finding) => (
            <Found key={finding.key} page={page} finding={finding} onMeant={onMeant} />
          ))}
        </ol>
      )}
      {matrix.length > 0 && (
        <>
          <h3>{t('What others can do with what somebody else made')}</h3>
          <Table
            caption={t('What others can do with what somebody else made')}
            rows={matrix}
            getKey={({ what }) => what}
            columns={columns(hasTeam)}
          />
        </>
      )}
      {left.map((reason) => (
        <p key={reason} class="hint">
          {t('Not tried: {reason}', { reason: translated(readReason(reason)) })}
        </p>
      ))}
      <p class="hint">
        {t('Version {version}, attacked {moment}, in {time}. The copy is removed.', {
          version: String(version),
          moment: formatMoment(at),
          time: formatDuration(durationMs),
        })}{' '}
        {version !== page.versionCount && t('The page has changed since: attack it again.')}
      </p>
    </div>
  );
}

type Row = AttackReport['matrix'][number];

const columns = (hasTeam: boolean): Array<Column<Row>> => [
  { title: t('What'), cell: ({ what }) => sayDeed(what) },
  { title: t('Not logged in'), cell: ({ nobody }) => sayCan(nobody) },
  { title: t('A stranger'), cell: ({ stranger }) => sayCan(stranger) },
  ...(hasTeam ? [{ title: t('A viewer of the team'), cell: ({ member }: Row) => sayCan(member) }] : []),
];

/** `read orders`, as the service says it, in the person's language. */
function sayDeed(what: string): string {
  const [deed, ...rest] = what.split(' ');
  const name = rest.join(' ');
  if (deed === 'read') return t('Read {name}', { name });
  if (deed === 'change') return t('Change {name}', { name });
  return deed === 'delete' ? t('Delete {name}', { name }) : what;
}

function sayCan(can: Row['nobody']): string {
  if (can === 'yes') return t('Yes');
  if (can === 'own') return t('Only their own');
  return can === 'no' ? t('No') : '–';
}

/** What is meant so comes last. */
const WEIGHTS = { high: 0, medium: 1, question: 2 };
const weigh = ({ severity, meant }: Finding) => WEIGHTS[severity] + (meant ? 3 : 0);
const byWeight = (one: Finding, other: Finding) => weigh(one) - weigh(other);

const sayWho = ({ who }: Finding) =>
  ({
    nobody: t('Not logged in'),
    stranger: t('A stranger'),
    member: t('A viewer of the team'),
    everyone: t('Everyone'),
  })[who];

function saySeverity({ severity }: Finding): string {
  if (severity === 'high') return t('Serious');
  return severity === 'medium' ? t('Check this') : t('A question');
}

interface FoundProps {
  page: PageDetail;
  finding: Finding;
  onMeant: ReportProps['onMeant'];
}

function Found({ page, finding, onMeant }: FoundProps) {
  const { request, response, severity, meant } = finding;
  const sayPart = (part: 'title' | 'why' | 'fix') => sayFinding(finding, part);
  const repair = async () => {
    const branch = await repairOnBranch(page, finding);
    say(t('The builder repairs this on a branch.'));
    navigate(toPageScreen(branch));
  };
  const params = { id: page.id, key: finding.key };
  const keep = async () => {
    await call(attackEndpoints.keepFinding, { params });
    onMeant(finding, { by: me.value?.username ?? '', at: new Date().toISOString() });
  };
  const forget = async () => {
    await call(attackEndpoints.forgetFinding, { params });
    onMeant(finding, null);
  };
  return (
    <li>
      <h3>
        <Badge kind={meant ? 'plain' : severity === 'high' ? 'bad' : 'warn'}>{saySeverity(finding)}</Badge>{' '}
        {sayPart('title')}
      </h3>
      <p>{sayPart('why')}</p>
      <p>
        <strong>{t('What helps:')}</strong> {sayPart('fix')}
      </p>
      <details>
        <summary>{t('The proof')}</summary>
        <p class="hint">{sayWho(finding)}</p>
        <pre>{`${request}\n→ ${response}`}</pre>
      </details>
      {meant && <p class="hint">{t('{name} said that this is meant so.', { name: meant.by })}</p>}
      <div class="actions">
        {!meant && (
          <Button kind="quiet" onClick={repair}>
            {t('Repair this')}
          </Button>
        )}
        <Button kind="bare" onClick={meant ? forget : keep}>
          {meant ? t('This is not meant so') : t('This is meant so')}
        </Button>
      </div>
    </li>
  );
}
