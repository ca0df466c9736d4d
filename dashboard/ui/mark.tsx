import { instance } from './instance.ts';

/** The logo of this server, or ours: the folds of a quire, seen from above. */
export function Mark() {
  if (instance.logo) return <img class="mark" src={instance.logo} alt="" width="24" height="24" />;
  return (
    <svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <path d="M20 4h-9.5a8 8 0 0 0 0 16H20M20 8h-9.5a4 4 0 0 0 0 8H20" />
    </svg>
  );
}
