import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';
import { Icon, type IconName } from '../ui/index.ts';
import { WishBox } from '../wish/index.ts';

/** What a new account can do first. */
export function Start() {
  return (
    <div class="home-start">
      <WishBox />
      <ul>
        <Way icon="page" href="/pages/new" title={t('Start with a template')}>
          {t('Guestbooks, polls, boards and more, each with its function, data and rules. Or an empty page.')}
        </Way>
        <Way icon="connect" href="/connect" title={t('Connect an agent')}>
          {t('Give Claude, Cursor or another agent access, and tell it what you want.')}
        </Way>
        <Way icon="function" href="/functions/_new" title={t('Deploy a function')}>
          {t('JavaScript or TypeScript at a URL of its own, with a database if it needs one.')}
        </Way>
      </ul>
      <p class="hint">
        <a href="/gallery">{t('See what others made')}</a> ·{' '}
        <a href="/docs/quick-start">{t('Read the quick start')}</a>
      </p>
    </div>
  );
}

interface WayProps {
  icon: IconName;
  href: string;
  title: string;
  children: string;
}

function Way({ icon, href, title, children }: WayProps) {
  return (
    <li class="link-card">
      <Icon name={icon} />
      <Link href={href}>{title}</Link>
      <p>{children}</p>
    </li>
  );
}
