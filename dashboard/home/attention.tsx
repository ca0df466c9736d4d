import type { ComponentChildren } from 'preact';
import type { Home } from '../../contract/accounts/home/home.ts';
import { STORAGE_WARNINGS } from '../../contract/rules/limits.ts';
import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';
import { formatDate, Icon, type IconName, Section } from '../ui/index.ts';
import type { Everything } from './api.ts';

type Props = Pick<Everything, 'home' | 'functions'>;

/** What was taken down first, then what failed, repairs, and changes that nobody sees yet. Nothing if all is well. */
export function Attention({ home, functions }: Props) {
  const { takenDownPages, takenDownFunctions, failingPages, failingFunctions, drafts } = home;
  const { openReports, reportedPages, exposedPages, failedJobs, repairs, unusedBranches } = home;
  const failing = [exposedPages, failingPages, failingFunctions, failedJobs, repairs];
  const lists = [takenDownPages, takenDownFunctions, ...failing, drafts, reportedPages, unusedBranches];
  const share = sayStorage(home.storage);
  if (!share && openReports === 0 && lists.every((list) => list.length === 0)) return null;
  return (
    <Section title={t('Needs attention')}>
      <ul class="home-attention">
        <TakenDownItems home={home} functions={functions} />
        {share && (
          <Item icon="database" href="/account/storage" name={t('Storage')} isBad={share.isBad}>
            {share.text}
          </Item>
        )}
        {openReports > 0 && (
          <Item icon="warning" href="/admin/reports" name={t('Reports')} isBad>
            {t('{count|One report|{count} reports} of visitors to decide', { count: openReports })}
          </Item>
        )}
        {reportedPages.map(({ id, name, reports }) => (
          <Item key={`page ${id} reports`} icon="page" href={`/pages/${id}/reports`} name={name} isBad>
            {t('{count|A visitor has|{count} visitors have} reported this page', { count: reports })}
          </Item>
        ))}
        {exposedPages.map(({ id, name, findings }) => (
          <Item key={`page ${id} attack`} icon="shield" href={`/pages/${id}/attack`} name={name} isBad>
            {t('{count|An attack has found something serious|An attack has found {count} serious things}', {
              count: findings,
            })}
          </Item>
        ))}
        <FailingFunctions home={home} functions={functions} />
        {failingPages.map(({ id, name, errors }) => (
          <Item key={`page ${id}`} icon="page" href={`/pages/${id}/analytics`} name={name} isBad>
            {t('{count|One error|{count} errors} in visitors’ browsers', { count: errors })}
          </Item>
        ))}
        {home.repairs.map(({ id, name, message, outcome }) => (
          <Item key={`repair ${id} ${message}`} icon="sparkle" href={`/pages/${id}/analytics`} name={name}>
            {sayRepair(outcome)}
          </Item>
        ))}
        {unusedBranches.map(({ id, name, branch, endsAt }) => (
          <Item key={`branch ${id}`} icon="branch" href={`/pages/${id}`} name={`${name} · ${branch}`}>
            {t('Nobody uses this branch: it is deleted on {date}', { date: formatDate(endsAt) })}
          </Item>
        ))}
        {drafts.map(({ id, name, drafts: count }) => (
          <Item key={`draft ${id}`} icon="edit" href={`/pages/${id}/versions`} name={name}>
            {t('{count|One draft is|{count} drafts are} not published', { count })}
          </Item>
        ))}
      </ul>
    </Section>
  );
}

function TakenDownItems({ home, functions }: Props) {
  const text = t('Taken down by an administrator');
  return (
    <>
      {home.takenDownPages.map(({ id, name }) => (
        <Item key={`page ${id} down`} icon="page" href={`/pages/${id}`} name={name} isBad>
          {text}
        </Item>
      ))}
      {home.takenDownFunctions.map(({ slug }) => (
        <FunctionItem key={`${slug} down`} slug={slug} functions={functions} part="" text={text} />
      ))}
    </>
  );
}

function FailingFunctions({ home, functions }: Props) {
  return (
    <>
      {home.failingFunctions.map(({ slug, errors }) => (
        <FunctionItem
          key={`${slug} logs`}
          {...{ slug, functions, part: '/logs' }}
          text={t('{count|One call|{count} calls} failed', { count: errors })}
        />
      ))}
      {home.failedJobs.map(({ slug, jobs }) => (
        <FunctionItem
          key={`${slug} jobs`}
          {...{ slug, functions, part: '/jobs' }}
          text={t('{count|One job has|{count} jobs have} failed', { count: jobs })}
        />
      ))}
    </>
  );
}

interface FunctionItemProps {
  slug: string;
  functions: Props['functions'];
  /** The part of the function's screens where one sees more. */
  part: string;
  text: string;
}

function FunctionItem({ slug, functions, part, text }: FunctionItemProps) {
  const name = functions.find((each) => each.slug === slug)?.displayName || slug;
  return (
    <Item icon="function" href={`/functions/${slug}${part}`} name={name} isBad>
      {text}
    </Item>
  );
}

function sayRepair(outcome: Everything['home']['repairs'][number]['outcome']): string {
  if (outcome === 'repaired') return t('An error is repaired on a copy: look at it');
  if (outcome === 'not_repaired') return t('The repair of an error is not proven: look at the copy');
  return t('The repair of an error ended without a change');
}

/** What to say when the storage is almost full. */
function sayStorage({ bytes, quota }: Home['storage']): { text: string; isBad: boolean } | undefined {
  const percent = quota ? Math.floor((100 * bytes) / quota) : 0;
  const [first, last] = STORAGE_WARNINGS;
  if (percent < first) return undefined;
  return { text: t('{percent} % of your quota is used', { percent }), isBad: percent >= last };
}

interface ItemProps {
  icon: IconName;
  href: string;
  name: string;
  isBad?: boolean;
  children: ComponentChildren;
}

function Item({ icon, href, name, isBad, children }: ItemProps) {
  return (
    <li>
      <Icon name={icon} />
      <Link href={href}>{name}</Link>
      <span class={isBad ? 'fault' : 'hint'}>{children}</span>
    </li>
  );
}
