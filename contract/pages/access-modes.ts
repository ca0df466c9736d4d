/** Who can see a page. The owner and the admins of its team always can. */
export const ACCESS_MODES = ['public', 'password', 'people', 'team', 'private'] as const;
export type AccessMode = (typeof ACCESS_MODES)[number];
