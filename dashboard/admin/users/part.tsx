import type { ComponentChildren } from 'preact';
import type { Loaded } from '../../ui/index.ts';
import type { UserDetail } from '../api.ts';

/** What a part of the screen of one user gets. */
export interface UserPart {
  user: UserDetail;
  /** True for the administrator's own account. */
  isSelf: boolean;
  reload: Loaded<UserDetail>['reload'];
}

/** A fact with its name, in a list of them. */
export function Fact({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </>
  );
}
