import { ScreenHead } from '../ui/index.ts';

/** The screens of this area; `parts` is the address behind `/admin`. */
export function AdminScreens(_: { parts: string[] }) {
  return <ScreenHead title="Administration" />;
}
