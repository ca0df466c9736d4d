import { z } from 'zod';
import { email, username } from '../../../../contract/accounts/accounts.ts';
import { isStorable } from '../../../../contract/rules/text.ts';
import { isReserved } from '../registration/reserved-names.ts';

/** The most that OpenID Connect allows. */
const MAX_SUBJECT_LETTERS = 255;

/** A person as the provider knows them. Only issuer and subject identify them: the rest can change. */
export const Identity = z.object({
  issuer: z.string(),
  subject: z.string().min(1).max(MAX_SUBJECT_LETTERS).refine(isStorable),
  /** Undefined if the provider says none, or something that is not an address. */
  email: z.string().optional(),
  /** Whether the provider has verified that the address is theirs. */
  isEmailVerified: z.boolean(),
  /** A valid username made from what the provider calls them. It can be taken. */
  suggestion: z.string(),
});
export type Identity = z.infer<typeof Identity>;

/** What a provider says about a person, in the ID token or in the user info. */
export type Claims = Record<string, unknown>;

/** Undefined if the subject is longer than the standard allows, or cannot be stored. */
export function toIdentity(issuer: string, claims: Claims): Identity | undefined {
  const address = email.safeParse(claims.email);
  const parsed = Identity.safeParse({
    issuer,
    subject: claims.sub,
    email: address.data,
    isEmailVerified: address.success && isVerified(claims),
    suggestion: suggestUsername([claims.preferred_username, claims.nickname, claims.email, claims.name]),
  });
  return parsed.data;
}

/** Some providers say it as text. Entra ID has its own claim, which says that the owner of the domain vouches for it. */
function isVerified(claims: Claims): boolean {
  const said = [claims.email_verified, claims.xms_edov];
  return said.some((value) => value === true || value === 'true' || value === 1 || value === '1');
}

const MAX_USERNAME = 32;
const FALLBACK = 'user';

/** The first of these that contains a username that anyone can have, with other characters replaced. */
function suggestUsername(names: unknown[]): string {
  for (const name of names) {
    if (typeof name !== 'string') continue;
    const suggestion = (name.slice(0, 200).split('@')[0] ?? '')
      .normalize('NFKD')
      .toLowerCase()
      .replace(/\p{Mark}/gu, '')
      .replace(/[^a-z0-9_-]+/g, '-')
      .replace(/^[-_]+|[-_]+$/g, '')
      .slice(0, MAX_USERNAME);
    if (username.safeParse(suggestion).success && !isReserved(suggestion)) return suggestion;
  }
  return FALLBACK;
}

/** The suggestion, or the first free name with a number at its end. */
export async function firstFree(
  suggestion: string,
  isTaken: (name: string) => Promise<boolean>,
): Promise<string> {
  if (suggestion !== FALLBACK && !(await isTaken(suggestion))) return suggestion;
  for (let number = 2; number <= 9; number++) {
    const name = `${suggestion.slice(0, MAX_USERNAME - 1)}${number}`;
    if (!(await isTaken(name))) return name;
  }
  // Many people have this name: chance finds a free one sooner than counting.
  return `${suggestion.slice(0, MAX_USERNAME - 7)}-${100_000 + Math.floor(Math.random() * 900_000)}`;
}
