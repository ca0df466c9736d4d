import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../../../texts/index.ts';
import { Badge, Icon } from '../../../ui/index.ts';
import type { Branch } from '../api.ts';
import type { Change } from './api.ts';
import { ChangeContent } from './content.tsx';
import { ACTION_WORDS, describePath, KIND_WORDS, saySide } from './words.ts';

interface LineProps {
  branch: Branch;
  change: Change;
  isOpen?: boolean;
  /** Shown with the content, also while that is hidden. */
  children?: ComponentChildren;
}

/** One change. Its content is read when somebody opens it. */
export function ChangeLine({ branch, change, isOpen = false, children }: LineProps) {
  const [wasOpen, setOpen] = useState(isOpen);
  const { title, place } = describePath(change);
  const [action, kind] = ACTION_WORDS[change.action];
  return (
    <li>
      <details open={isOpen} onToggle={({ currentTarget }) => currentTarget.open && setOpen(true)}>
        <summary>
          <Icon name="chevron-down" size={16} />
          <Badge kind={change.conflict ? 'bad' : kind}>{change.conflict ? t('Conflict') : action}</Badge>
          <strong dir="auto">{title}</strong>
          <span class="hint">
            {[place, KIND_WORDS[change.kind], saySide(change)].filter((part) => part !== '').join(' · ')}
            {change.needs_confirm && ` · ${t('removes data')}`}
          </span>
        </summary>
        {wasOpen && (
          <div class="branch-change">
            <ChangeContent branch={branch} change={change} />
          </div>
        )}
      </details>
      {children}
    </li>
  );
}
