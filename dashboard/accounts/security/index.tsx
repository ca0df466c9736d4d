import { PasskeysScreen } from './passkeys.tsx';
import { PasswordScreen } from './password.tsx';
import { SingleSignOnScreen } from './single-sign-on.tsx';

/** The ways to log in. */
export function SecurityScreen() {
  return (
    <>
      <PasswordScreen />
      <PasskeysScreen />
      <SingleSignOnScreen />
    </>
  );
}
