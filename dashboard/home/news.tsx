import { useState } from 'preact/hooks';
import { t } from '../texts/index.ts';
import { Icon, IconButton, Section } from '../ui/index.ts';

/** The news are shown until somebody has read those of this release. */
const RELEASE = '0.1.0';
const KEY = 'news-read';

const NEWS = () => [
  [t('Say it'), t('Describe a page in your own words and watch it appear.')],
  [t('Change what you see'), t('Click a text, a picture or a color in the editor.')],
  [t('Share'), t('The address, a QR code, and how a link to the page looks.')],
  [t('Tables'), t('Search, sort and edit records in place.')],
];

/** What is new in this release. */
export function News() {
  const [isRead, setRead] = useState(() => readBefore() === RELEASE);
  if (isRead) return null;
  const dismiss = () => {
    try {
      localStorage.setItem(KEY, RELEASE);
    } catch {
      // A browser without storage shows them again.
    }
    setRead(true);
  };
  return (
    <div class="home-news">
      <Section title={t('What’s new')}>
        <IconButton icon="close" label={t('Dismiss the news')} onClick={dismiss} />
        <ul>
          {NEWS().map(([title, text]) => (
            <li key={title}>
              <Icon name="sparkle" />
              <span>
                <strong>{title}</strong> {text}
              </span>
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}

function readBefore(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
