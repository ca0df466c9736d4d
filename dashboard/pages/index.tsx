import { ScreenHead } from '../ui/index.ts';

/** The screens of this area; `parts` is the address behind `/pages`. */
export function PagesScreens(_: { parts: string[] }) {
  return <ScreenHead title="Pages" />;
}
