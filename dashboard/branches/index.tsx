import type { ComponentChildren } from 'preact';
import { Link } from '../router.tsx';
import { rich, t } from '../texts/index.ts';
import { Icon } from '../ui/index.ts';

interface BandProps {
  name: string;
  /** The page that it is a branch of: its path for visitors, and its screen. */
  path: string;
  href: string;
  /** Where the way back leads, and what it is called. */
  back: { href: string; label: string };
  /** Links to what can be done with the branch. */
  children?: ComponentChildren;
  /** A line below: that it is being made, or what is wrong. */
  state?: ComponentChildren;
}

/** Says on every screen of a branch that this is not the page itself. */
export function BranchBand({ name, path, href, back, children, state }: BandProps) {
  return (
    <aside class="branch-band" aria-label={t('You are working on a branch')}>
      <p>
        <Icon name="branch" size={18} />
        <span>
          {rich(
            'Branch <strong>{name}</strong> of <page>{path}</page>',
            {
              strong: (text) => <strong>{text}</strong>,
              page: (text) => <Link href={href}>{text}</Link>,
            },
            { name, path },
          )}
        </span>
      </p>
      <nav aria-label={t('Branch')}>
        {children}
        <Link href={back.href} class="branch-back">
          {back.label}
        </Link>
      </nav>
      {state}
    </aside>
  );
}

/** The path of the page that a branch is of, as visitors know it. */
export const toMainPath = (slug: string, name: string): string =>
  `/p/${slug.endsWith(`--${name}`) ? slug.slice(0, -name.length - 2) : slug}`;
