import { z } from 'zod';
import { email, username } from '../../../../contract/accounts/accounts.ts';
import { isStorable } from '../../../../contract/rules/text.ts';
import { isReserved } from '../registration/reserved-names.ts';

/** The longest subject that OpenID Connect allows. */
const MAX_SUBJECT_LETTERS = 255;

/** A person as the provider knows them. Only issuer and subject identify them: the rest can change. */
export const Identity = z.object({
  issuer: z.string(),
  subject: z.string().min(1).max(MAX_SUBJECT_LETTERS).refine(isStorable),
  /** The e-mail address. Undefined if the provider returns none, or something that is not an address. */
  email: z.string().optional(),
  /** Whether the provider has verified that the address is the person's. */
  isEmailVerified: z.boolean(),
  /** A valid username made from the name at the provider. It can be taken. */
  suggestion: z.string(),
});
export type Identity = z.infer<typeof Identity>;

/** The claims of a provider about a person, in the ID token or in the user info. */
export type Claims = Record<string, unknown>;

/** Reads the identity from claims. Undefined if the subject is longer than the standard allows, or cannot be stored. */
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

/** Whether the address is verified. Some providers say so as text, and Entra ID has a claim of its own. */
function isVerified(claims: Claims): boolean {
  const said = [claims.email_verified, claims.xms_edov];
  return said.some((value) => value === true || value === 'true' || value === 1 || value === '1');
}

const MAX_USERNAME = 32;
const FALLBACK = 'user';

/** Makes a username from the first of these names that contains a valid one, with other characters replaced. */
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
  // Many people have this name: a random number finds a free one sooner than counting.
  return `${suggestion.slice(0, MAX_USERNAME - 7)}-${100_000 + Math.floor(Math.random() * 900_000)}`;
}
