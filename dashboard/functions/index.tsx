import { ScreenHead } from '../ui/index.ts';

/** The screens of this area; `parts` is the address behind `/functions`. */
export function FunctionsScreens(_: { parts: string[] }) {
  return <ScreenHead title="Functions" />;
}
