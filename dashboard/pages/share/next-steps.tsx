import { useEffect } from 'preact/hooks';
import { Link, search } from '../../router.tsx';
import { me } from '../../session.ts';
import { t } from '../../texts/index.ts';
import { Icon, type IconName, useLoad } from '../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../api.ts';
import { openAsPage } from '../editor/visual/mode.ts';
import { listNextSteps } from '../new/api.ts';

interface Step {
  icon: IconName;
  text: string;
  /** A screen of the page. */
  part: string;
}

const MAX_STEPS = 3;

/** What to do with a page that is published. */
export function NextSteps({ page }: { page: PageDetail }) {
  const template = new URLSearchParams(search.value).get('template');
  const said = useLoad(async (signal) => (template ? listNextSteps(template, signal) : []), [template]);
  // Also for people who tried the template before they had an account.
  useEffect(() => {
    if (template) openAsPage(me.value?.id, page.id);
  }, [template, me.value?.id, page.id]);
  const steps = chooseSteps(page);
  const own = said.value ?? [];
  return (
    <section class="share-next" aria-labelledby="share-next-title">
      <h3 id="share-next-title">{t('What next?')}</h3>
      {own.length > 0 && (
        <ol>
          {own.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      <ul>
        {(own.length > 0 ? steps.slice(0, 1) : steps).map(({ icon, text, part }) => (
          <li key={text}>
            <Link href={toPageScreen(page.id, part)}>
              <Icon name={icon} />
              <span>{text}</span>
              <Icon name="chevron-right" size={16} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The steps that fit a page, by what it can do and what it lacks. */
function chooseSteps({ storageMode, html_content, access, is_listed, is_unlisted }: PageDetail): Step[] {
  const hasForm = /<form[\s>]/i.test(html_content);
  const canBeListed = access.mode === 'public' && !is_listed && !is_unlisted;
  const steps: Array<Step | false> = [
    storageMode === 'team_app' && { icon: 'people', text: t('Invite your team'), part: 'team' },
    storageMode === 'social_app' && { icon: 'database', text: t('See what visitors write'), part: 'data' },
    hasForm && { icon: 'mail', text: t('Read what visitors send'), part: 'forms' },
    { icon: 'edit', text: t('Put your own words in'), part: '' },
    { icon: 'chart', text: t('See how many come, and from where'), part: 'analytics' },
    canBeListed && { icon: 'star', text: t('Show it in the gallery'), part: 'settings' },
    !hasForm && { icon: 'form', text: t('Add a form'), part: 'forms' },
    { icon: 'globe', text: t('Give it your own domain'), part: 'settings' },
  ];
  return steps.filter((step) => step !== false).slice(0, MAX_STEPS);
}
