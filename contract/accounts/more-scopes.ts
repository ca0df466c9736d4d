/** How an agent or a program gets scopes that it lacks, in a sentence. */
export function howToGetMore(isApp: boolean): string {
  return isApp
    ? 'Use what needs the scope: it is refused with status 403, and your client then asks your user to allow it. Otherwise ask your user to connect you again.'
    : 'A token cannot get more scopes. Ask your user for one that has them: in the dashboard, under Account, Tokens.';
}
