import { ScreenHead } from '../ui/index.ts';

/** The screens of this area; `parts` is the address behind `/account`. */
export function AccountScreens(_: { parts: string[] }) {
  return <ScreenHead title="Account" />;
}
