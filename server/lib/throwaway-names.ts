import { randomBytes } from 'node:crypto';

/** Names of branches for one purpose. Nobody can guess them, so they are also the permission to call their functions. */

const NAME_BYTES = 8;

export const makeThrowawayName = () => `try-${randomBytes(NAME_BYTES).toString('hex')}`;

/** Such a name at the end of the slug of a page. */
export const readThrowawayName = (slug: string) => /--(try-[0-9a-f]{16})$/.exec(slug)?.[1];

/** The slug of the page of which a page with such a name is a copy. */
export const withoutThrowawayName = (slug: string) => slug.replace(/--try-[0-9a-f]{16}$/, '');

/** Whether the slug of a function ends with such a name, and possibly the number of a second try. */
export const isThrowawaySlug = (slug: string) => /--try-[0-9a-f]{16}(?:-\d{1,2})?$/.test(slug);
